"""The Connect cluster as the watcher sees it: its identity, its connectors and its workers."""

from collections.abc import Mapping

from headwater.connect.rest import Cluster, Connect, Entry
from headwater.watch.connect import condition as conditions
from headwater.watch.connect.condition import Condition
from headwater.watch.connect.connector import WatchedConnector
from headwater.watch.connect.runs import RunState
from headwater.watch.connect.state_file import WatcherState
from headwater.watch.connect.workers import Workers


class WatchedCluster:
    def __init__(self, connect: Connect, state: WatcherState) -> None:
        self.id = state.cluster
        self.version = ""
        """Of Connect; empty until it is looked up."""
        self.workers = Workers(connect, state.workers)
        self.connectors = {name: WatchedConnector(run) for name, run in state.connectors.items()}

    def state(self) -> WatcherState:
        """What the next watcher has to know."""
        runs = {name: connector.run_state for name, connector in self.connectors.items()}
        return WatcherState(cluster=self.id, connectors=runs, workers=self.workers.known)

    def identify(self, cluster: Cluster) -> bool:
        """Whether it is another cluster than the one before. Then the connectors that were there are forgotten."""
        is_another = bool(self.id and cluster.kafka_cluster_id and cluster.kafka_cluster_id != self.id)
        if is_another:
            self.connectors.clear()
        self.id, self.version = cluster.kafka_cluster_id, cluster.version
        return is_another

    def update(self, entries: Mapping[str, Entry]) -> None:
        for name, entry in entries.items():
            self.connectors.setdefault(name, WatchedConnector(RunState())).update(entry)

    def named_workers(self) -> set[str]:
        """The workers that the status of a connector or task names."""
        statuses = [connector.status for connector in self.connectors.values()]
        return {worker for status in statuses if status for worker in status.workers()}

    def condition(self, connector: WatchedConnector) -> Condition:
        if connector.status is not None:
            return conditions.condition(connector.status, self.workers.lost)
        # Known only from an earlier watcher, and Connect does not answer: perhaps as all of it is dead.
        known = self.workers.known
        if known and self.workers.lost.issuperset(known):
            return Condition("lost", "LOST", f"the workers {', '.join(known)} are gone")
        return Condition("waiting", "UNASSIGNED")

    def lost_connectors(self) -> list[str]:
        """Those whose workers are known to be dead, which is certain although Connect does not answer."""
        return [name for name, connector in self.connectors.items() if self.condition(connector).kind == "lost"]
