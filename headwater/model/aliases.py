"""Which datasets are one and the same: symlinks, renames, and the brokers of one cluster.

Each dataset keeps its own facts under its own name; being the same is laid over them. So an
alias may arrive before, between or after the events of both sides, and may be taken back.
"""

from collections.abc import Callable, Iterable

import msgspec

from headwater.ids import Node
from headwater.model.entities import Dataset
from headwater.openlineage import naming


class Group(msgspec.Struct, frozen=True, gc=False):
    canonical: Node
    members: tuple[Node, ...]  # the canonical one first


class Aliases:
    def __init__(self, dataset: Callable[[Node], Dataset], changed: Callable[[Node, Node], None]) -> None:
        """`changed` is called with a dataset whose group changed, and its canonical one until then."""
        self._dataset, self._changed = dataset, changed
        self.grouped: dict[Node, Group] = {}  # only datasets that have other names too
        self._claimants: dict[Node, set[Node]] = {}  # symlink target → who names it
        self._successors: dict[Node, set[Node]] = {}  # old name → new names
        self._cluster: dict[str, set[str]] = {}  # broker → Kafka namespaces of its cluster
        self._topics: dict[str, dict[str, Node]] = {}  # Kafka namespace → topic → dataset

    def canonical(self, node: Node) -> Node:
        group = self.grouped.get(node)
        return node if group is None else group.canonical

    def members(self, node: Node) -> tuple[Node, ...]:
        group = self.grouped.get(node)
        return (node,) if group is None else group.members

    def groups(self) -> Iterable[Group]:
        return {g.canonical: g for g in self.grouped.values()}.values()

    def added(self, dataset: Dataset) -> None:
        """A new dataset: if it is a topic, it may be known by another broker of its cluster."""
        brokers = naming.brokers(dataset.namespace)
        if not brokers:
            return
        self._topics.setdefault(dataset.namespace, {})[dataset.name] = dataset.node
        cluster: set[str] = {dataset.namespace}
        for broker in brokers:
            cluster |= self._cluster.get(broker, set())
        if cluster == self._cluster.get(brokers[0]):
            if len(cluster) > 1:
                self._regroup([dataset.node])
            return
        for namespace in cluster:
            for broker in naming.brokers(namespace):
                self._cluster[broker] = cluster
        self._regroup([node for ns in cluster for node in self._topics.get(ns, {}).values()])

    def seen(self, dataset: Dataset) -> None:
        """It was first seen earlier than thought, which may make it the canonical one."""
        if dataset.node in self.grouped:
            self._regroup([dataset.node])

    def set_symlinks(self, dataset: Dataset, targets: tuple[Node, ...]) -> None:
        if dataset.symlinks == targets:
            return
        before = self.members(dataset.node)
        for old in dataset.symlinks:
            self._claimants[old].discard(dataset.node)
        dataset.symlinks = targets
        for new in targets:
            self._claimants.setdefault(new, set()).add(dataset.node)
        self._regroup([*before, *targets])

    def set_renamed(self, dataset: Dataset, previous: Node) -> None:
        self._successors.setdefault(previous, set()).add(dataset.node)
        self._regroup([dataset.node, previous])

    def lifecycle_changed(self, dataset: Dataset) -> None:
        """A name that was left by a rename may have been taken again, or left again."""
        if dataset.node in self._successors:
            self._regroup(self.members(dataset.node))

    def restore(self, datasets: Iterable[Dataset]) -> None:
        """Lays the groups over datasets that came from the tables."""
        linked: list[Node] = []
        for dataset in datasets:
            for target in dataset.symlinks:
                self._claimants.setdefault(target, set()).add(dataset.node)
            if dataset.renamed is not None:
                self._successors.setdefault(dataset.renamed[1], set()).add(dataset.node)
            if dataset.symlinks or dataset.renamed is not None:
                linked.append(dataset.node)
            self.added(dataset)
        self._regroup(linked)

    def _regroup(self, seeds: Iterable[Node]) -> None:
        done: set[Node] = set()
        # Whoever shared a group with a seed may be left behind when a link is gone.
        for seed in [m for s in seeds for m in self.members(s)]:
            if seed in done:
                continue
            members = {seed}
            frontier = [seed]
            while frontier:
                fresh = self._linked(frontier.pop()) - members
                members |= fresh
                frontier += fresh
            done |= members
            if len(members) == 1:
                left = self.grouped.pop(seed, None)
                if left is not None:
                    self._changed(seed, left.canonical)
                continue
            ordered = sorted(members, key=self._rank)
            group = Group(ordered[0], tuple(ordered))
            for member in members:
                if self.grouped.get(member) != group:
                    before = self.canonical(member)
                    self.grouped[member] = group
                    self._changed(member, before)

    def _linked(self, node: Node) -> set[Node]:
        dataset = self._dataset(node)
        linked = {*dataset.symlinks, *self._claimants.get(node, ())}
        for new in self._successors.get(node, ()):
            if self._still_renamed(dataset, self._dataset(new)):
                linked.add(new)
        if dataset.renamed is not None:
            previous = self._dataset(dataset.renamed[1])
            if self._still_renamed(previous, dataset):
                linked.add(previous.node)
        brokers = naming.brokers(dataset.namespace)
        if brokers:
            for namespace in self._cluster.get(brokers[0], ()):
                twin = self._topics.get(namespace, {}).get(dataset.name)
                if twin is not None:
                    linked.add(twin)
        return linked

    @staticmethod
    def _still_renamed(previous: Dataset, successor: Dataset) -> bool:
        if successor.renamed is None or successor.renamed[1] != previous.node:
            return False
        now = previous.lifecycle
        taken_again = now is not None and now.state not in ("DROP", "RENAME")
        return not (taken_again and now is not None and now.stamp > successor.renamed[0])

    def _rank(self, node: Node) -> tuple[bool, bool, int, str, str]:
        """The canonical one: the newest name after renames, physical rather than logical (it
        names others and no other names it), then the one seen first."""
        dataset = self._dataset(node)
        replaced = any(self._still_renamed(dataset, self._dataset(new)) for new in self._successors.get(node, ()))
        claimed = bool(self._claimants.get(node))
        first = dataset.first if dataset.first is not None else 1 << 62
        return replaced, claimed, first, dataset.namespace, dataset.name
