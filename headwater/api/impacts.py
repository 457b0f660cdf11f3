"""Impact → JSON, fast: what is shown of a node is kept as bytes until its revision moves."""

import asyncio
from collections import Counter
from collections.abc import Callable

import msgspec

from headwater.api.lane import Lane
from headwater.api.render import Renderer, moment
from headwater.api.turns import Noted, in_turns
from headwater.graph.columns import Column
from headwater.graph.impact import DIRECT, INDIRECT, Impact, Kept, impact_in_slices
from headwater.graph.when import Always, When
from headwater.ids import Node, dataset_node_id, field_node_id, job_node_id
from headwater.model.entities import Dataset, Edge, Job, Registers
from headwater.openlineage import facets as f
from headwater.shapes.common import RunSummary

_encode = msgspec.json.Encoder().encode
_NODES_PER_SLICE = 400

# Smaller answers are made faster than they are worth remembering.
_WORTH_KEEPING = 50

_KEPT_BYTES = 32 << 20
_USES = (b',"use":"UNKNOWN"', b',"use":"INDIRECT"', b',"use":"DIRECT"')


class _Piece(msgspec.Struct, frozen=True, gc=False):
    revisions: tuple[int, int]  # of the node, and of the job that wrote it last
    writer: Node | None
    head: bytes  # up to the distance
    tail: bytes  # from the owners on
    owners: tuple[str, ...]


class _Answer(msgspec.Struct, frozen=True, gc=False):
    entities: list[Job | Dataset]  # all that it tells of
    revisions: int  # their sum, which grows with every change of any of them
    nodes: int
    deepest: int
    body: bytes


_Line = tuple[bytes, int, int, bytes]
"""Head, distance, use and tail of a node."""


class ImpactWriter:
    def __init__(self, renderer: Renderer, lane: Lane) -> None:
        self._renderer, self._state, self._lane = renderer, renderer.state, lane
        self._kept = Kept()
        self._pieces: dict[Node, _Piece] = {}
        self._bytes = 0
        self._answers: dict[Node, _Answer] = {}

    async def impact(self, start: Node | Column, depth: int, limit: int, when: When) -> bytes:
        known = self._known_answer(start, depth, limit) if isinstance(when, Always) else None
        if known is not None:
            async with self._lane.large(0, len(known)):
                return known
        noted = Noted(self._state)
        if not isinstance(start, tuple):
            noted.note(Impact({start: 0}))
        walk = impact_in_slices(self._state, self._renderer.contents, start, depth, limit, when, self._kept)
        found = await in_turns(walk, noted.note)
        remember = self._remember(start, found, noted) if isinstance(when, Always) else None
        async with self._lane.large(len(found.nodes)):
            body = await self._write(start, found)
        if remember is not None:
            remember(body)
        return body

    def _known_answer(self, start: Node | Column, depth: int, limit: int) -> bytes | None:
        """The whole answer, if it was given before and nothing in it has changed since."""
        known = None if isinstance(start, tuple) else self._answers.get(start)
        if known is None or depth < known.deepest or limit < known.nodes:
            return None
        return known.body if sum([entity.revision for entity in known.entities]) == known.revisions else None

    def _remember(self, start: Node | Column, found: Impact, noted: Noted) -> Callable[[bytes], None] | None:
        """To be called before waiting for anything: should an event that comes in meanwhile touch
        what is in the answer, the answer is not used again."""
        # Of what lies behind a column, more was looked at than is in the answer.
        if isinstance(start, tuple) or found.deepest is None or len(found.nodes) < _WORTH_KEEPING:
            return None
        nodes, deepest = self._state.nodes, found.deepest
        writers = {self._writer(node) for node in found.nodes if isinstance(nodes[node], Dataset)}
        shown = {start, *found.nodes, *(writer for writer in writers if writer is not None)}
        entities = [nodes[node] for node in shown]
        revisions = noted.sum_of(entities)

        def remember(body: bytes) -> None:
            self._answers.pop(start, None)
            self._answers[start] = _Answer(entities, revisions, len(found.nodes), deepest, body)
            while sum(len(kept.body) for kept in self._answers.values()) > _KEPT_BYTES:
                del self._answers[next(iter(self._answers))]

        return remember

    async def _write(self, start: Node | Column, found: Impact) -> bytes:
        levels: dict[int, list[_Line]] = {}
        tails: dict[Node, bytes] = {}
        owners: Counter[str] = Counter()
        jobs = 0
        nodes, uses, known = self._state.nodes, found.uses, self._pieces
        for count, (node, distance) in enumerate(found.nodes.items(), 1):
            if count % _NODES_PER_SLICE == 0:
                await asyncio.sleep(0)
            entity = nodes[node]
            is_job = isinstance(entity, Job)
            writer = None if is_job else self._writer(node)
            piece = known.get(node)
            written = 0 if writer is None else nodes[writer].revision
            if piece is None or piece.revisions != (entity.revision, written) or piece.writer != writer:
                piece = self._piece(entity, writer)
            jobs += is_job
            tails[node] = piece.tail
            if piece.owners:
                owners.update(piece.owners)
            level = levels.get(distance)
            if level is None:
                level = levels[distance] = []
            level.append((piece.head, distance, uses[node], piece.tail))
        columns = sum(
            len(names) for dataset, told in found.columns.items() if dataset in found.nodes for _, names in told
        )
        if isinstance(start, tuple):
            self._add_columns(levels, found, tails)
        parts = [
            b'{"nodeId":%b,"jobs":%d,"datasets":%d,"columns":%d,"owners":%b,"levels":['
            % (self._id(start), jobs, len(found.nodes) - jobs, columns, _encode(dict(owners.most_common())))
        ]
        for number, distance in enumerate(sorted(levels)):
            parts.append(b'%b{"distance":%d,"nodes":[' % (b"," if number else b"", distance))
            lines = levels[distance]
            lines.sort()
            for count, (head, far, use, tail) in enumerate(lines, 1):
                parts += (head, b"%d" % far, _USES[use], tail, b",")
                if count % (4 * _NODES_PER_SLICE) == 0:
                    await asyncio.sleep(0)
            parts[-1] = b"]}"
        parts.append(b'],"truncated":%b}' % (b"true" if found.truncated else b"false"))
        return b"".join(parts)

    def _add_columns(self, levels: dict[int, list[_Line]], found: Impact, tails: dict[Node, bytes]) -> None:
        """What else is said of a column is said of its dataset."""
        for node, told in found.columns.items():
            dataset, direct = self._state.dataset_of(node), found.direct[node]
            for distance, names in told if node in tails else ():
                for name in names:
                    node_id = field_node_id(dataset.namespace, dataset.name, name)
                    head = _head(node_id, "DATASET_FIELD", dataset, name)
                    use = DIRECT if name in direct else INDIRECT
                    levels.setdefault(distance, []).append((head, distance, use, tails[node]))

    def _id(self, start: Node | Column) -> bytes:
        if isinstance(start, tuple):
            dataset = self._state.dataset_of(start[0])
            return _encode(field_node_id(dataset.namespace, dataset.name, start[1]))
        entity = self._state.nodes[start]
        make = job_node_id if isinstance(entity, Job) else dataset_node_id
        return _encode(make(entity.namespace, entity.name))

    def _writer(self, dataset: Node) -> Node | None:
        """The job that wrote a dataset last."""
        nodes = self._state.nodes
        best: Edge | None = None
        for member in self._state.aliases.members(dataset):
            for edge in nodes[member].into:
                if (best is None or edge.last > best.last) and isinstance(nodes[edge.src], Job):
                    best = edge
        return None if best is None else best.src

    def _piece(self, entity: Job | Dataset, writer: Node | None) -> _Piece:
        job: Job | None
        if isinstance(entity, Job):
            job, node_id, kind = entity, job_node_id(entity.namespace, entity.name), "JOB"
            owners = self._owners(entity.facets)
        else:
            job = None if writer is None else self._state.job_of(writer)
            node_id, kind = dataset_node_id(entity.namespace, entity.name), "DATASET"
            owners = self._owners(self._renderer.dataset_facets(entity.node))
        tail = b',"owners":%b,"latestRun":%b,"runs":%b,"everySeconds":%b}' % (
            _encode(owners),
            _encode(_summary(job)),
            _encode(job.runs if job else None),
            _encode(every_seconds(job) if job else None),
        )
        head = _head(node_id, kind, entity, None)
        self._bytes += len(head) + len(tail)
        if self._bytes > _KEPT_BYTES:
            self._pieces.clear()
            self._bytes = len(head) + len(tail)
        written = 0 if writer is None else self._state.nodes[writer].revision
        piece = self._pieces[entity.node] = _Piece((entity.revision, written), writer, head, tail, owners)
        return piece

    def _owners(self, facets: Registers) -> tuple[str, ...]:
        if "ownership" not in facets:
            return ()
        told = self._renderer.contents.facet(f.Ownership, facets, "ownership")
        return tuple(dict.fromkeys(owner.name for owner in (told.owners if told else None) or ()))


def _head(node_id: str, kind: str, entity: Job | Dataset, field: str | None) -> bytes:
    return b'{"nodeId":%b,"type":"%b","namespace":%b,"name":%b,"field":%b,"distance":' % (
        _encode(node_id),
        kind.encode(),
        _encode(entity.namespace),
        _encode(entity.name),
        _encode(field),
    )


def _summary(job: Job | None) -> RunSummary | None:
    run = job.latest if job is not None else None
    if run is None:
        return None
    started, ended = run.started_at, run.ended_at
    took = (ended - started) // 1000 if ended is not None and started is not None else None
    return RunSummary(run.id, run.state, moment(started), moment(ended), took)


def every_seconds(job: Job) -> float | None:
    """How often a job runs: from its first sign to its latest run, on average."""
    if job.latest is None or job.runs < 2:
        return None
    return (job.latest.order[0] - job.first) / (job.runs - 1) / 1_000_000
