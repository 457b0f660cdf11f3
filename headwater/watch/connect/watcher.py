"""The Connect watcher: looks at a cluster again and again, and tells what it sees as OpenLineage events."""

import asyncio
import hashlib
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from headwater.connect.rest import Connect, Entry, Trouble
from headwater.emit.events import Json
from headwater.errors import HeadwaterError
from headwater.watch.connect import condition as conditions
from headwater.watch.connect import events, memory, runs
from headwater.watch.connect.condition import Condition
from headwater.watch.connect.events import Job
from headwater.watch.connect.found import World
from headwater.watch.connect.lineage import lineage
from headwater.watch.connect.mapping import Known
from headwater.watch.connect.runs import Kept, Step
from headwater.watch.connect.watched import TOPICS_FIRST, Watched
from headwater.watch.connect.workers import Workers
from headwater.watch.kafka.client import Flow, Kafka
from headwater.watch.known_runs import KnownRuns, Latest
from headwater.watch.registry.client import Registry

log = logging.getLogger("headwater.watch")

# So long the SMT of a connector may take to tell its run before the watcher begins one.
_PATIENCE = 5.0
# After so long a list without a connector is asked for again before the connector counts as deleted.
_CONFIRM = 0.5
# So long the first look waits for Kafka, which may be away. What it says later is told later.
_FLOWS_PATIENCE = 2.0
_TOPICS_LAST, _AT_ONCE = 60.0, 8


@dataclass(frozen=True)
class Options:
    namespace: str = "kafka-connect"
    kafka: str = ""
    """Addresses of the brokers, for the names of topics."""
    interval: float = 2.0
    heartbeat: float = 60.0
    """Seconds between two RUNNING events of a connector of which nothing changes."""


class Watcher:
    def __init__(
        self,
        connect: Connect,
        send: Callable[[Json], None],
        known: Known,
        options: Options,
        *,
        runs_known: KnownRuns | None = None,
        registry: Registry | None = None,
        kafka: Kafka | None = None,
        file: Path | None = None,
        sent: Callable[[], bool] = lambda: True,
    ) -> None:
        """`sent` waits a moment for what was handed to `send`, and says whether it arrived."""
        self._connect, self._send, self._known, self.options = connect, send, known, options
        self._runs_known, self._registry, self._kafka, self._file = runs_known, registry, kafka, file
        self._sent = sent
        self._memory = memory.read(file) if file is not None else memory.Memory()
        self._workers = Workers(connect, self._memory.workers)
        self.watched: dict[str, Watched] = {name: Watched(kept) for name, kept in self._memory.connectors.items()}
        self._cluster, self._version = self._memory.cluster, ""
        self._bulk: dict[str, Latest] | None = None
        self._said: dict[str, str] = {}
        self._asking: asyncio.Task[None] | None = None
        self.trouble = ""
        self.polls = 0

    async def run(self, after: Callable[[], None] = lambda: None) -> None:
        """Until it is cancelled."""
        try:
            while True:
                began = time.monotonic()
                try:
                    await self.poll()
                except HeadwaterError:
                    raise
                except Exception:
                    log.exception("a look at Connect went wrong; the next one comes")
                after()
                # A worker that seems dead is looked at again before anybody is told.
                pause = min(1.0, self.options.interval) if self._workers.in_doubt() else self.options.interval
                await asyncio.sleep(max(0.0, pause - (time.monotonic() - began)))
        finally:
            if self._asking is not None:
                self._asking.cancel()

    async def poll(self, *, whole: bool = False) -> None:
        """One look. `whole`: with everything that otherwise is asked for beside it, and told at the next."""
        entries = await self._listed()
        if entries is not None:
            if not self._version:
                await self._who()
            for name, entry in entries.items():
                self._noticed(name, entry)
        named = {worker for watched in self.watched.values() if watched.status for worker in watched.status.workers()}
        await self._workers.look(named or self._workers.known)
        if entries is None:
            await self._judge(self._lost(), time.monotonic())
        else:
            gone = await self._gone(entries)
            if whole:
                await self._look_around(list(entries))
            elif self.polls == 0:
                await self._lineage(list(entries))
                self._asking = asyncio.create_task(self._beside([]))
                await asyncio.wait([self._asking], timeout=_FLOWS_PATIENCE)
            elif self._asking is None or self._asking.done():
                self._asking = asyncio.create_task(self._beside(list(entries)))
            if self.polls == 0 and self._runs_known is not None:
                self._bulk = await self._runs_known.all()
            self._workers.forget(named)
            await self._judge(list(entries), time.monotonic())
            for name in gone:
                self._deleted(name)
            self._bulk = None
            self.polls += 1
        self._keep()

    # Looking

    async def _listed(self) -> Mapping[str, Entry] | None:
        try:
            found = await self._connect.connectors()
        except Trouble as e:
            self.trouble, self._version = str(e), ""  # whoever answers next may be another cluster
            self._say("connect", f"{e}; what is known stays as it is until Connect answers")
            return None
        self.trouble = ""
        self._unsay("connect", "Connect answers again")
        return found

    async def _who(self) -> None:
        try:
            told = await self._connect.cluster()
        except Trouble:
            return
        if self._cluster and told.kafka_cluster_id and told.kafka_cluster_id != self._cluster:
            log.warning("this is another cluster than before: nothing is said of the connectors that were there")
            self.watched.clear()
        self._cluster, self._version = told.kafka_cluster_id, told.version

    def _noticed(self, name: str, entry: Entry) -> None:
        watched = self.watched.setdefault(name, Watched(Kept()))
        watched.status = entry.status
        raw = bytes(entry.info.config)
        if raw != watched.raw:
            watched.raw = raw
            config = msgspec.json.decode(raw, type=dict[str, Any])
            told = {key: str(value) for key, value in sorted(config.items()) if value is not None}
            watched.fingerprint = hashlib.blake2b(msgspec.json.encode(told), digest_size=16).hexdigest()
            if told != watched.config:  # workers need not give the options in the same order
                watched.config, watched.basis = told, None
                watched.pause, watched.ask_topics = TOPICS_FIRST, 0.0

    async def _gone(self, entries: Mapping[str, Entry]) -> list[str]:
        """Those that were there and are not any more. Asked twice: another worker may not know a new one yet."""
        missing = [name for name in self.watched if name not in entries]
        if not missing:
            return []
        await asyncio.sleep(_CONFIRM)
        try:
            names = await self._connect.names()
        except Trouble:
            return []
        return [name for name in missing if name not in names]

    def _lost(self) -> list[str]:
        """Connectors that are judged although Connect does not answer: their workers are known to be dead."""
        return [name for name, watched in self.watched.items() if self._condition(watched).kind == "lost"]

    async def _beside(self, names: Iterable[str]) -> None:
        try:
            await self._look_around(names)
        except Exception:
            log.exception("topics, schemas and offsets could not be looked up")

    async def _look_around(self, names: Iterable[str]) -> None:
        """Topics, schemas and offsets. What does not answer here only leaves something out."""
        await self._lineage(names)
        if self._kafka is not None:
            used = {n: (w.found.group, w.found.topics) for n, w in self.watched.items() if w.found is not None}
            if await self._kafka.refresh(used):
                for name, flows in self._kafka.flows.items():
                    moved = self.watched[name].moved if name in self.watched else {}
                    for topic, flow in flows.items():
                        moved[topic] = moved.get(topic, 0) + (flow.rows or 0)

    async def _lineage(self, names: Iterable[str]) -> None:
        await self._topics(names)
        for name in names:
            if name in self.watched:
                self._follow(name, self.watched[name])
        if self._registry is not None:
            await self._registry.refresh()

    async def _topics(self, names: Iterable[str]) -> None:
        now = time.monotonic()
        gate = asyncio.Semaphore(_AT_ONCE)

        async def one(name: str, watched: Watched) -> None:
            async with gate:
                try:
                    seen = await self._connect.topics(name)
                except Trouble as e:
                    if not e.gone:
                        self._say("topics", f"which topics are in use is not known: {e}")
                    return
            watched.pause = TOPICS_FIRST if seen != watched.seen else min(watched.pause * 2, _TOPICS_LAST)
            watched.seen, watched.ask_topics = seen, now + watched.pause

        todo = [(name, watched) for name in names if (watched := self.watched.get(name)) is not None]
        await asyncio.gather(*(one(n, w) for n, w in todo if now >= w.ask_topics and w.needs_topics))

    # Telling

    def _follow(self, name: str, watched: Watched) -> None:
        """The lineage, made anew if something that it depends on is another one."""
        asked: list[Any] = []
        every = self._kafka.topics if self._kafka is not None and watched.config.get("topics.regex") else None

        def schema(topic: str, part: str) -> Any:
            found = self._registry.schema(topic, part) if self._registry is not None else None
            asked.append((topic, part, found))
            return found

        basis = watched.basis
        if watched.found is not None and isinstance(basis, tuple):
            seen, topics, used = basis
            if seen == watched.seen and topics == every and all(schema(t, p) is s for t, p, s in used):
                return
            asked.clear()
        kind = watched.status.type if watched.status is not None else ""
        # Without a broker's address, at least no two clusters are mixed up.
        world = World(self.options.kafka or self._cluster or "unknown", watched.seen, every, schema)
        watched.follow(lineage(name, watched.config, kind, self._known, world))
        watched.basis = (watched.seen, every, tuple(asked))

    async def _judge(self, names: Iterable[str], now: float) -> None:
        for name in names:
            watched = self.watched[name]
            found = watched.condition = self._condition(watched)
            kept = watched.kept
            kept.since = (kept.since or time.time()) if found.kind == "waiting" else 0.0
            if watched.status is not None:
                self._follow(name, watched)
            changed = watched.print != watched.told or events.fingerprint(self._state(watched)) != watched.shown
            due = now - watched.told_at >= self.options.heartbeat
            if watched.has_smt and (changed or due or kept.run is None):
                await self._with_smt(name, watched)
            config = watched.fingerprint or kept.config
            for step in runs.steps(watched.kept, time.time(), found, config, changed=changed, due=due):
                if not await self._tell(name, watched, step, now):
                    break

    def _condition(self, watched: Watched) -> Condition:
        if watched.status is not None:
            return conditions.condition(watched.status, self._workers.lost)
        # Known only from an earlier watcher, and Connect does not answer: perhaps as all of it is dead.
        known = self._workers.known
        if known and self._workers.lost.issuperset(known):
            return Condition("lost", "LOST", f"the workers {', '.join(known)} are gone")
        return Condition("waiting", "UNASSIGNED")

    async def _tell(self, name: str, watched: Watched, step: Step, now: float) -> bool:
        begun, kind = watched.kept.run, str(step.kind)
        if step.kind == "START":
            latest = await self._latest(name, watched.kept)
            if latest is not None and latest.goes_on and latest.id != watched.kept.last:
                if await self._foreign(name, latest):
                    return False
                begun, kind = latest.id, "RUNNING"  # somebody began it already
            elif watched.has_smt and not self._waited_enough(watched, now):
                return False
            else:
                before = latest.id if latest is not None else watched.kept.last
                begun = runs.run_id(self.options.namespace, name, before)
        self._send(self._event(name, watched, step, kind, begun))
        watched.kept = runs.after(watched.kept, step, watched.fingerprint or watched.kept.config, begun)
        watched.told, watched.shown = watched.print, events.fingerprint(self._state(watched))
        watched.told_at, watched.expected = now, 0.0
        watched.moved.clear()
        if step.kind in ("FAIL", "ABORT"):
            log.info("%s: %s, %s", name, step.kind, step.why)
        return True

    def _event(self, name: str, watched: Watched, step: Step, kind: str, run: str | None) -> Json:
        job = Job(self.options.namespace, name, self._version)
        return watched.event(job, step, kind, run, self._state(watched), self.flows(name))

    def flows(self, name: str) -> Mapping[str, Flow]:
        return self._kafka.flows.get(name, {}) if self._kafka is not None else {}

    def _state(self, watched: Watched) -> Json:
        return watched.state(self._workers.lost, self._cluster)

    def _deleted(self, name: str) -> None:
        watched = self.watched.pop(name)
        if watched.kept.run is not None:
            step = Step("ABORT", "the connector was deleted")
            watched.condition = Condition("stopped", "DELETED", step.why)
            self._send(self._event(name, watched, step, "ABORT", watched.kept.run))

    # Runs that others told

    async def _latest(self, name: str, kept: Kept) -> Latest | None:
        """The run that Headwater knows as the latest; None if it knows none, or does not answer."""
        if self._runs_known is None:
            return None
        if self._bulk is not None:
            return self._bulk.get(name)
        try:
            if not await asyncio.to_thread(self._sent):
                return None  # it does not know yet what we have told
            return await self._runs_known.of(name)
        except HeadwaterError as e:
            log.debug("%s", e)
            return None

    async def _foreign(self, name: str, latest: Latest) -> bool:
        assert self._runs_known is not None
        try:
            cluster = await self._runs_known.cluster(latest.id)
        except HeadwaterError:
            return True  # not now
        if not cluster or not self._cluster or cluster == self._cluster:
            return False
        self._say(
            f"foreign {name}",
            f"a connector {name} of another cluster runs under {self.options.namespace}, so ours is not told: "
            "give each cluster a namespace of its own with --namespace",
        )
        return True

    async def _with_smt(self, name: str, watched: Watched) -> None:
        """The SMT sees restarts that nobody else sees: its latest run is the one that goes on."""
        latest = await self._latest(name, watched.kept)
        if latest is None:
            return
        over = watched.condition.kind in ("failed", "stopped")
        if watched.kept.run is None:
            if over and not latest.goes_on and latest.id == watched.ended_by_smt:
                # We thought that it goes on, but the SMT knew better. What we know of the end belongs to that run.
                watched.kept = Kept(run=latest.id, config=watched.fingerprint)
                watched.ended_by_smt = ""
        elif latest.goes_on and latest.id != watched.kept.run:
            # It began after the one that we know, so it has the configuration that is there now.
            watched.kept = Kept(run=latest.id, config=watched.fingerprint or watched.kept.config)
            watched.told = watched.shown = ""
        elif not latest.goes_on and latest.id == watched.kept.run and not over:
            watched.kept = Kept(last=latest.id, config=watched.kept.config)
            watched.ended_by_smt = latest.id

    def _waited_enough(self, watched: Watched, now: float) -> bool:
        watched.expected = watched.expected or now
        return now - watched.expected >= _PATIENCE

    # Besides

    def _keep(self) -> None:
        if self._file is None:
            return
        kept = {name: watched.kept for name, watched in self.watched.items()}
        made = memory.Memory(cluster=self._cluster, connectors=kept, workers=self._workers.known)
        if made != self._memory:
            memory.write(self._file, made)
            self._memory = msgspec.json.decode(msgspec.json.encode(made), type=memory.Memory)

    def _say(self, key: str, text: str) -> None:
        """Once, until it is over."""
        if key not in self._said:
            log.warning("%s", text)
        self._said[key] = text

    def _unsay(self, key: str, text: str) -> None:
        if self._said.pop(key, None) is not None:
            log.warning("%s", text)
