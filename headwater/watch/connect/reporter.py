"""Reports connectors: decides which events are due, whose run they belong to, and sends them."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping

from headwater.emit.events import Json
from headwater.errors import HeadwaterError
from headwater.watch.connect import runs
from headwater.watch.connect.cluster import WatchedCluster
from headwater.watch.connect.condition import Condition
from headwater.watch.connect.connector import WatchedConnector
from headwater.watch.connect.events import Job
from headwater.watch.connect.lookups import Lookups
from headwater.watch.connect.runs import RunState, Step
from headwater.watch.known_runs import KnownRun, KnownRuns
from headwater.watch.polling import Health

log = logging.getLogger("headwater.watch")

# So long the SMT of a connector may take to report its run before the watcher starts one.
_SMT_PATIENCE = 5.0


class Reporter:
    def __init__(
        self,
        cluster: WatchedCluster,
        lookups: Lookups,
        namespace: str,
        heartbeat: float,
        send: Callable[[Json], None],
        sent: Callable[[], bool],
        known_runs: KnownRuns | None,
        health: Health,
    ) -> None:
        self._cluster, self._lookups, self._health = cluster, lookups, health
        self._namespace, self._heartbeat = namespace, heartbeat
        self._send, self._sent, self._known_runs = send, sent, known_runs

    async def report(self, names: Iterable[str], now: float, latest: Mapping[str, KnownRun] | None = None) -> None:
        """`latest`: the runs that Headwater knows, if they were read already."""
        for name in names:
            await self._report(name, self._cluster.connectors[name], now, latest)

    def report_deleted(self, name: str) -> None:
        connector = self._cluster.connectors.pop(name)
        if connector.run_state.run is not None:
            step = Step("ABORT", "the connector was deleted")
            connector.condition = Condition("stopped", "DELETED", step.why)
            self._send(self._event(name, connector, step, "ABORT", connector.run_state.run))

    async def _report(
        self, name: str, connector: WatchedConnector, now: float, latest: Mapping[str, KnownRun] | None
    ) -> None:
        condition = connector.condition = self._cluster.condition(connector)
        state = connector.run_state
        state.since = (state.since or time.time()) if condition.kind == "waiting" else 0.0
        if connector.status is not None:
            self._lookups.update_lineage(name, connector)
        changed = connector.has_changed(self._state(connector))
        due = now - connector.reported_at >= self._heartbeat
        if connector.has_smt and (changed or due or state.run is None):
            await self._follow_smt(name, connector, latest)
        config = connector.config_fingerprint or state.config
        for step in runs.steps(connector.run_state, time.time(), condition, config, changed=changed, due=due):
            if not await self._take(name, connector, step, now, latest):
                break

    async def _take(
        self, name: str, connector: WatchedConnector, step: Step, now: float, latest: Mapping[str, KnownRun] | None
    ) -> bool:
        """Whether the step was reported; else it has to wait."""
        run, kind = connector.run_state.run, str(step.kind)
        if step.kind == "START":
            known = await self._latest_run(name, latest)
            if known is not None and known.is_open and known.id != connector.run_state.last:
                if await self._is_of_another_cluster(name, known):
                    return False
                run, kind = known.id, "RUNNING"  # the SMT or an earlier watcher started it
            elif connector.has_smt and not self._waited_for_smt(connector, now):
                return False
            else:
                before = known.id if known is not None else connector.run_state.last
                run = runs.run_id(self._namespace, name, before)
        self._send(self._event(name, connector, step, kind, run))
        config = connector.config_fingerprint or connector.run_state.config
        connector.run_state = runs.after(connector.run_state, step, config, run)
        connector.reported(self._state(connector), now)
        if step.kind in ("FAIL", "ABORT"):
            log.info("%s: %s, %s", name, step.kind, step.why)
        return True

    def _event(self, name: str, connector: WatchedConnector, step: Step, kind: str, run: str | None) -> Json:
        job = Job(self._namespace, name, self._cluster.version)
        return connector.event(job, step, kind, run, self._state(connector), self._lookups.flows(name))

    def _state(self, connector: WatchedConnector) -> Json:
        return connector.state(self._cluster.workers.lost, self._cluster.id)

    # Runs that others reported

    async def _latest_run(self, name: str, latest: Mapping[str, KnownRun] | None) -> KnownRun | None:
        """The latest run that Headwater knows; None if it knows none, or does not answer."""
        if self._known_runs is None:
            return None
        if latest is not None:
            return latest.get(name)
        try:
            if not await asyncio.to_thread(self._sent):
                return None  # Headwater does not have our own events yet
            return await self._known_runs.latest(name)
        except HeadwaterError as e:
            log.debug("%s", e)
            return None

    async def _is_of_another_cluster(self, name: str, run: KnownRun) -> bool:
        assert self._known_runs is not None
        try:
            cluster = str((await self._known_runs.run_facet(run.id, "headwater_connect")).get("cluster") or "")
        except HeadwaterError:
            return True  # not known now; the next poll asks again
        if not cluster or not self._cluster.id or cluster == self._cluster.id:
            return False
        self._health.warn(
            f"another cluster's {name}",
            f"a connector {name} of another cluster is reported in the namespace {self._namespace}, so this one "
            "is not: give each cluster its own namespace with --namespace",
        )
        return True

    async def _follow_smt(self, name: str, connector: WatchedConnector, latest: Mapping[str, KnownRun] | None) -> None:
        """The SMT sees restarts that nobody else sees, so its latest run is the one to continue."""
        run = await self._latest_run(name, latest)
        if run is None:
            return
        state = connector.run_state
        over = connector.condition.kind in ("failed", "stopped")
        if state.run is None:
            if over and not run.is_open and run.id == connector.ended_by_smt:
                # Connect reports the end only now, after the SMT has: our reason belongs to that run.
                connector.run_state = RunState(run=run.id, config=connector.config_fingerprint)
                connector.ended_by_smt = ""
        elif run.is_open and run.id != state.run:
            # It started after the one that we know, so it has the current configuration.
            connector.run_state = RunState(run=run.id, config=connector.config_fingerprint or state.config)
            connector.reported_lineage = connector.reported_state = ""
        elif not run.is_open and run.id == state.run and not over:
            connector.run_state = RunState(last=run.id, config=state.config)
            connector.ended_by_smt = run.id

    def _waited_for_smt(self, connector: WatchedConnector, now: float) -> bool:
        connector.awaits_smt_since = connector.awaits_smt_since or now
        return now - connector.awaits_smt_since >= _SMT_PATIENCE
