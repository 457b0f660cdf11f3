"""What nobody looks after: jobs without owner, datasets without producer or without consumer.

Each list is kept in order. The first question makes it, and from then on only what changed
since the last question is looked at again.
"""

import asyncio
from collections.abc import Callable

from sortedcontainers import SortedList

from headwater.answers.listing import Listing
from headwater.answers.render import Renderer
from headwater.ids import Node, dataset_node_id, job_node_id
from headwater.model.entities import Dataset, Edge, Job
from headwater.openlineage import facets as f
from headwater.shapes.common import NodeRef
from headwater.shapes.freshness import Gaps

KINDS = JOBS_WITHOUT_OWNER, DATASETS_WITHOUT_PRODUCER, DATASETS_WITHOUT_CONSUMER = (
    "jobsWithoutOwner",
    "datasetsWithoutProducer",
    "datasetsWithoutConsumer",
)

_NODES_PER_SLICE = 200

_Key = tuple[str, str, Node]
"""Namespace, name and node."""


class GapFinder:
    def __init__(self, renderer: Renderer, listing: Listing) -> None:
        self._renderer, self._state, self._listing = renderer, renderer.state, listing
        self._lists: dict[str, SortedList[_Key]] = {kind: SortedList() for kind in KINDS}
        self._has_gap: dict[str, Callable[[Node], bool]] = {
            JOBS_WITHOUT_OWNER: self._has_no_owner,
            DATASETS_WITHOUT_PRODUCER: self._has_no_producer,
            DATASETS_WITHOUT_CONSUMER: self._has_no_consumer,
        }
        self._known = 0  # nodes up to this number were looked at
        listing.followers.append(self._changed)

    async def gaps(self, kind: str, namespace: str | None, limit: int, offset: int) -> Gaps:
        while self._known < len(self._state.nodes):
            for number in range(self._known, min(self._known + _NODES_PER_SLICE, len(self._state.nodes))):
                self._look(Node(number))
                self._known = number + 1
            await asyncio.sleep(0)
        self._listing.catch_up()
        keys = self._lists[kind]
        start, end = 0, len(keys)
        if namespace is not None:
            start, end = keys.bisect_left(_first_of(namespace)), keys.bisect_left(_first_of(namespace + "\0"))
        page = keys.islice(min(start + offset, end), min(start + offset + limit, end))
        return Gaps(kind, end - start, [self._ref(key[2]) for key in page])

    def _ref(self, node: Node) -> NodeRef:
        entity = self._state.nodes[node]
        if isinstance(entity, Job):
            return NodeRef(job_node_id(entity.namespace, entity.name), "JOB", entity.namespace, entity.name)
        return NodeRef(dataset_node_id(entity.namespace, entity.name), "DATASET", entity.namespace, entity.name)

    def _changed(self, node: Node) -> None:
        if node < self._known:
            self._look(node)

    def _look(self, node: Node) -> None:
        """Puts a node into the lists that it belongs to now, and takes it out of the others."""
        entity = self._state.nodes[node]
        key = entity.namespace, entity.name, node
        for kind, keys in self._lists.items():
            if (kind == JOBS_WITHOUT_OWNER) != isinstance(entity, Job):
                continue
            was, now = key in keys, self._has_gap[kind](node)
            if now and not was:
                keys.add(key)
            elif was and not now:
                keys.remove(key)

    def _has_no_owner(self, node: Node) -> bool:
        if self._state.is_hidden(node):
            return False
        ownership = self._renderer.contents.facet(f.Ownership, self._state.job_of(node).facets, "ownership")
        return ownership is None or not ownership.owners

    def _has_no_producer(self, node: Node) -> bool:
        return self._listing.is_listed(node) and not any(
            self._counts(edge) for member in self._names(node) for edge in member.into
        )

    def _has_no_consumer(self, node: Node) -> bool:
        return self._listing.is_listed(node) and not any(
            self._counts(edge) for member in self._names(node) for edge in member.out
        )

    def _counts(self, edge: Edge) -> bool:
        """Not one of a dataset to itself, nor one that was deleted."""
        canonical = self._state.aliases.canonical
        return canonical(edge.src) != canonical(edge.dst) and not self._state.is_gone(edge)

    def _names(self, node: Node) -> list[Dataset]:
        return [self._state.dataset_of(member) for member in self._state.aliases.members(node)]


def _first_of(namespace: str) -> _Key:
    """Stands before all keys of a namespace."""
    return namespace, "", Node(-1)
