"""The Connect watcher: polls a cluster and reports its connectors as OpenLineage events."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from headwater.connect.rest import Connect, ConnectRestError, Entry
from headwater.emit.events import Json
from headwater.watch.connect.cluster import WatchedCluster
from headwater.watch.connect.connector import WatchedConnector
from headwater.watch.connect.lookups import Lookups
from headwater.watch.connect.mapping import ClassDescriptions
from headwater.watch.connect.reporter import Reporter
from headwater.watch.connect.state_file import StateFile, WatcherState
from headwater.watch.kafka.client import Flow, Kafka
from headwater.watch.known_runs import KnownRuns
from headwater.watch.polling import BackgroundTask, Health, poll_forever
from headwater.watch.registry.client import Registry

log = logging.getLogger("headwater.watch")

# So long after a list without a connector Connect is polled again, before the connector counts as deleted.
_CONFIRM = 0.5
# So long the first poll waits for Kafka, which may be away. Rates and lag then follow later.
_FLOWS_PATIENCE = 2.0
# A worker that seems dead is probed again this soon, before its runs are ended.
_DOUBT = 1.0


@dataclass(frozen=True)
class Options:
    namespace: str = "kafka-connect"
    kafka: str = ""
    """Addresses of the brokers, for the names of topics."""
    interval: float = 2.0
    heartbeat: float = 60.0
    """Seconds between two RUNNING events of a connector of which nothing changes."""


class Watcher:
    """One poll after the other: list, probe workers, look up, report, save."""

    def __init__(
        self,
        connect: Connect,
        send: Callable[[Json], None],
        classes: ClassDescriptions,
        options: Options,
        *,
        known_runs: KnownRuns | None = None,
        registry: Registry | None = None,
        kafka: Kafka | None = None,
        file: Path | None = None,
        sent: Callable[[], bool] = lambda: True,
    ) -> None:
        """`sent` waits a moment for what was handed to `send`, and says whether it arrived."""
        self._connect, self._known_runs, self._interval = connect, known_runs, options.interval
        self._file = StateFile(file) if file is not None else None
        self.health = Health("Connect")
        self._cluster = WatchedCluster(connect, self._file.read() if self._file is not None else WatcherState())
        self._lookups = Lookups(connect, self._cluster, classes, options.kafka, registry, kafka, self.health)
        self._reporter = Reporter(
            self._cluster,
            self._lookups,
            options.namespace,
            options.heartbeat,
            send,
            sent,
            known_runs,
            self.health,
        )
        self._background = BackgroundTask("topics, schemas and offsets")

    @property
    def connectors(self) -> Mapping[str, WatchedConnector]:
        return self._cluster.connectors

    def flows(self, name: str) -> Mapping[str, Flow]:
        return self._lookups.flows(name)

    async def run(self, after: Callable[[], None] = lambda: None) -> None:
        """Until it is cancelled."""
        try:
            await poll_forever(self.poll, self._pause, after)
        finally:
            self._background.cancel()

    def _pause(self) -> float:
        return min(_DOUBT, self._interval) if self._cluster.workers.in_doubt() else self._interval

    async def poll(self, *, whole: bool = False) -> None:
        """`whole`: waits for the lookups, which otherwise run in the background and are reported by the next poll."""
        entries = await self._list()
        if entries is not None:
            if not self._cluster.version:
                await self._identify()
            self._cluster.update(entries)
        workers = self._cluster.named_workers()
        await self._cluster.workers.probe(workers or self._cluster.workers.known)
        if entries is None:
            await self._reporter.report(self._cluster.lost_connectors(), time.monotonic())
        else:
            deleted = await self._deleted(entries)
            is_first = self.health.polls == 0
            await self._look_up(list(entries), is_first=is_first, whole=whole)
            latest = await self._known_runs.all() if is_first and self._known_runs is not None else None
            self._cluster.workers.forget(workers)
            await self._reporter.report(list(entries), time.monotonic(), latest)
            for name in deleted:
                self._reporter.report_deleted(name)
            self.health.polls += 1
        if self._file is not None:
            self._file.save(self._cluster.state())

    async def _list(self) -> Mapping[str, Entry] | None:
        try:
            entries = await self._connect.connectors()
        except ConnectRestError as e:
            self._cluster.version = ""  # the next one to answer may be another cluster
            self.health.unanswered(str(e))
            return None
        self.health.answered()
        return entries

    async def _identify(self) -> None:
        try:
            cluster = await self._connect.cluster()
        except ConnectRestError:
            return
        if self._cluster.identify(cluster):
            log.warning("this is another cluster than before: the runs of the earlier one are left as they are")

    async def _deleted(self, entries: Mapping[str, Entry]) -> list[str]:
        """Connectors that were there and are gone. Asked twice: another worker may not know a new one yet."""
        missing = [name for name in self._cluster.connectors if name not in entries]
        if not missing:
            return []
        await asyncio.sleep(_CONFIRM)
        try:
            names = await self._connect.names()
        except ConnectRestError:
            return []
        return [name for name in missing if name not in names]

    async def _look_up(self, names: list[str], *, is_first: bool, whole: bool) -> None:
        if whole:
            await self._lookups.refresh(names)
        elif is_first:
            await self._lookups.refresh_lineage(names)
            self._background.start(lambda: self._lookups.refresh([]))
            await self._background.wait(_FLOWS_PATIENCE)
        else:
            self._background.start(lambda: self._lookups.refresh(names))
