"""Impact → JSON, fast.

What is shown of a node is cached as bytes until its revision moves. A whole answer is cached line
by line, with all that the walk looked at. When the same query comes again and something has changed,
as it always has where events come in, then mostly the way is still the same: another run of a
job that was there before. Then only the lines of what changed are written anew.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator

import msgspec

from headwater.answers.large_answers import LargeAnswers
from headwater.answers.render import Renderer
from headwater.answers.run_json import moment
from headwater.answers.sliced import run_sliced
from headwater.graph.around import Around
from headwater.graph.columns import Column
from headwater.graph.impact import DIRECT, INDIRECT, Impact, impact
from headwater.graph.when import Always, When
from headwater.ids import DELETED, Micros, Node, dataset_node_id, field_node_id, job_node_id
from headwater.model.entities import Dataset, Job, Registers
from headwater.model.shown import facets_of
from headwater.openlineage import facets as f
from headwater.shapes.common import RunSummary

_encode = msgspec.json.Encoder().encode
_NODES_PER_SLICE = 400

# Smaller answers are made faster than they are worth remembering.
_FEWEST_CACHED = 50

_CACHE_BYTES = 16 << 20
_USES = (b',"use":"UNKNOWN"', b',"use":"INDIRECT"', b',"use":"DIRECT"')

# Of more lines than this others should have their turn in between.
_REWRITTEN_AT_ONCE = 400


class _Piece(msgspec.Struct, frozen=True, gc=False):
    revision: int
    writers: tuple[Node, ...]  # of a dataset: the jobs that write it, the last one first
    written: int  # the revision of the last one
    head: bytes  # up to the distance
    tail: bytes  # from the owners on, with a comma for the next
    owners: tuple[str, ...]


_Place = tuple[list[bytes], int]
"""A level, and a line of it."""


class _Answer(msgspec.Struct, gc=False):
    limits: tuple[int, int]  # depth and limit
    hit: Impact
    counts: tuple[int, int, int] = (0, 0, 0)  # jobs, datasets and columns
    levels: list[tuple[int, list[bytes]]] = []  # by distance
    places: dict[Node, _Place] = {}  # of jobs and datasets
    columns: dict[Node, list[tuple[_Place, bytes]]] = {}  # with each line up to where its dataset's part begins
    owners: dict[Node, tuple[str, ...]] = {}
    entities: list[Job | Dataset] = []  # all that it hangs on
    revisions: list[int] = []
    body: bytes = b""


class ImpactWriter:
    def __init__(self, renderer: Renderer, large_answers: LargeAnswers) -> None:
        self._renderer, self._state, self._large_answers = renderer, renderer.state, large_answers
        self._around = Around(renderer.state, renderer.contents)
        self._pieces: dict[Node, _Piece] = {}
        self._bytes = 0
        self._answers: dict[Node | Column, _Answer] = {}

    async def impact(self, start: Node | Column, depth: int, limit: int, when: When) -> bytes:
        present = isinstance(when, Always)
        known = self._known_answer(start, depth, limit) if present else None
        if known is not None:
            async with self._large_answers.turn(0, len(known)):
                return known
        around = self._around if present else Around(self._state, self._renderer.contents, when, self._around)
        hit = await run_sliced(impact(self._state, around, start, depth, limit))
        answer = _Answer((depth, limit), hit)
        async with self._large_answers.turn(len(hit.nodes)):
            await self._write(start, answer, when)
        if present and len(hit.nodes) >= _FEWEST_CACHED:
            self._remember(start, answer)
        return answer.body

    # What was answered before

    def _remember(self, start: Node | Column, answer: _Answer) -> None:
        self._answers.pop(start, None)
        self._answers[start] = answer
        while sum(2 * len(cached.body) for cached in self._answers.values()) > _CACHE_BYTES:
            del self._answers[next(iter(self._answers))]

    def _known_answer(self, start: Node | Column, depth: int, limit: int) -> bytes | None:
        """The answer of before, with what has changed since; None if the walk would go another way."""
        known = self._answers.get(start)
        if known is None:
            return None
        hit = known.hit
        is_whole = hit.deepest is not None and depth >= hit.deepest and limit >= len(hit.nodes)
        if known.limits != (depth, limit) and not is_whole:
            return None
        revisions = [entity.revision for entity in known.entities]
        if revisions == known.revisions:
            return known.body
        pairs = zip(known.entities, revisions, known.revisions, strict=True)
        changed = [entity for entity, now, before in pairs if now != before]
        if len(changed) > _REWRITTEN_AT_ONCE or not all(self._is_as_before(entity, hit) for entity in changed):
            del self._answers[start]
            return None
        for node in self._shown_by(changed) & known.places.keys():
            self._rewrite(known, node)
        known.revisions = revisions
        known.body = self._joined(start, known)
        return known.body

    def _is_as_before(self, entity: Job | Dataset, hit: Impact) -> bool:
        """Whether the walk would go on from here as it did."""
        before = hit.looked_at.get(entity.node)
        return before is None or self._around.of(entity.node)[1] is before[1]

    def _shown_by(self, changed: list[Job | Dataset]) -> set[Node]:
        """A dataset's line also shows the job that wrote it."""
        canonical = self._state.aliases.canonical
        nodes = {entity.node for entity in changed}
        return nodes | {canonical(edge.dst) for entity in changed if isinstance(entity, Job) for edge in entity.out}

    def _rewrite(self, answer: _Answer, node: Node) -> None:
        piece = self._piece(node, Always())
        lines, number = answer.places[node]
        lines[number] = _line(piece, answer.hit, node)
        for (lines, number), head in answer.columns.get(node, ()):
            lines[number] = head + piece.tail
        answer.owners[node] = piece.owners

    # Writing

    async def _write(self, start: Node | Column, answer: _Answer, when: When) -> None:
        hit, nodes = answer.hit, self._state.nodes
        levels: dict[int, list[tuple[bytes, Node, bytes]]] = {}
        revisions = {node: around[0] for node, around in hit.looked_at.items()}
        async for part in self._in_parts(hit.nodes):
            for node, distance in part:
                piece = self._piece(node, when)
                if node not in revisions:
                    revisions[node] = piece.revision
                for writer in piece.writers:
                    if writer not in revisions:
                        revisions[writer] = piece.written if writer == piece.writers[0] else nodes[writer].revision
                if piece.owners:
                    answer.owners[node] = piece.owners
                level = levels.get(distance)
                if level is None:
                    level = levels[distance] = []
                level.append((_line(piece, hit, node), node, b""))
                if isinstance(start, tuple):
                    for far, head in self._columns(node, hit):
                        levels.setdefault(far, []).append((head + piece.tail, node, head))
        for distance in sorted(levels):
            await asyncio.sleep(0)
            answer.levels.append((distance, self._level(answer, sorted(levels[distance]))))
        jobs = sum([isinstance(nodes[node], Job) for node in hit.nodes])
        columns = sum(
            [
                len(names)
                for dataset, by_distance in hit.columns.items()
                if dataset in hit.nodes
                for _, names in by_distance
            ]
        )
        answer.counts = jobs, len(hit.nodes) - jobs, columns
        answer.entities = [nodes[node] for node in revisions]
        answer.revisions = list(revisions.values())
        answer.body = self._joined(start, answer)

    async def _in_parts(self, nodes: dict[Node, int]) -> AsyncIterator[list[tuple[Node, int]]]:
        """With turns for others in between. What is to be read of many is read at once."""
        every = list(nodes.items())
        for start in range(0, len(every), _NODES_PER_SLICE):
            await asyncio.sleep(0)
            part = every[start : start + _NODES_PER_SLICE]
            fresh = (self._facets(node) for node, _ in part if node not in self._pieces)
            owners = {facet[2] for facets in fresh if (facet := facets.get("ownership")) is not None}
            self._renderer.contents.prefetch((content, f.Ownership) for content in owners - {DELETED})
            yield part

    @staticmethod
    def _level(answer: _Answer, level: list[tuple[bytes, Node, bytes]]) -> list[bytes]:
        lines = [line for line, _, _ in level]
        for number, (_, node, head) in enumerate(level):
            if head:
                answer.columns.setdefault(node, []).append(((lines, number), head))
            else:
                answer.places[node] = (lines, number)
        return lines

    def _columns(self, node: Node, hit: Impact) -> Iterator[tuple[int, bytes]]:
        """With the head of each column's line; the rest of the line is its dataset's."""
        if node not in hit.columns:
            return
        dataset, direct = self._state.nodes[node], hit.direct[node]
        for distance, names in hit.columns[node]:
            for name in names:
                head = _head(field_node_id(dataset.namespace, dataset.name, name), "DATASET_FIELD", dataset, name)
                yield distance, b"%b%d%b" % (head, distance, _USES[DIRECT if name in direct else INDIRECT])

    def _joined(self, start: Node | Column, answer: _Answer) -> bytes:
        owners = Counter(owner for some in answer.owners.values() for owner in some)
        ordered = dict(sorted(owners.items(), key=lambda owner: (-owner[1], owner[0])))
        # Megabytes are copied only once, when all the pieces are there.
        parts = [
            b'{"nodeId":%b,"jobs":%d,"datasets":%d,"columns":%d,"owners":%b,"levels":['
            % (self._id(start), *answer.counts, _encode(ordered))
        ]
        for number, (distance, lines) in enumerate(answer.levels):
            parts.append(b'%b{"distance":%d,"nodes":[' % (b"," if number else b"", distance))
            parts += lines
            parts[-1] = parts[-1].removesuffix(b",")
            parts.append(b"]}")
        parts.append(b'],"truncated":%b}' % (b"true" if answer.hit.truncated else b"false"))
        return b"".join(parts)

    def _id(self, start: Node | Column) -> bytes:
        if isinstance(start, tuple):
            dataset = self._state.dataset_of(start[0])
            return _encode(field_node_id(dataset.namespace, dataset.name, start[1]))
        entity = self._state.nodes[start]
        make = job_node_id if isinstance(entity, Job) else dataset_node_id
        return _encode(make(entity.namespace, entity.name))

    # Pieces

    def _piece(self, node: Node, when: When) -> _Piece:
        """What is shown of a node, wherever it stands in an answer."""
        entity, known = self._state.nodes[node], self._pieces.get(node)
        if known is not None and known.revision == entity.revision:
            # Who writes a dataset at all is known as of its revision; who did so last is not.
            writers = known.writers
            if len(writers) > 1 or not isinstance(when, Always):
                writers = self._writers(node, when)
            if writers == known.writers and self._revision(writers) == known.written:
                return known
        else:
            writers = self._writers(node, when)
        return self._make_piece(entity, writers)

    def _revision(self, writers: tuple[Node, ...]) -> int:
        return self._state.nodes[writers[0]].revision if writers else 0

    def _writers(self, node: Node, when: When) -> tuple[Node, ...]:
        """The jobs that write a dataset, the last one first."""
        state = self._state
        if isinstance(state.nodes[node], Job):
            return ()
        last_written: dict[Node, Micros] = {}
        for member in state.aliases.members(node):
            for edge in state.nodes[member].into:
                if isinstance(state.nodes[edge.src], Job) and when.alive(state, edge):
                    last_written[edge.src] = max(edge.last, last_written.get(edge.src, edge.last))
        return tuple(sorted(last_written, key=lambda job: (-last_written[job], job)))

    def _make_piece(self, entity: Job | Dataset, writers: tuple[Node, ...]) -> _Piece:
        job: Job | None
        if isinstance(entity, Job):
            job, node_id, kind = entity, job_node_id(entity.namespace, entity.name), "JOB"
        else:
            job = self._state.job_of(writers[0]) if writers else None
            node_id, kind = dataset_node_id(entity.namespace, entity.name), "DATASET"
        owners = self._owners(self._facets(entity.node))
        tail = b',"owners":%b,"latestRun":%b,"runs":%b,"everySeconds":%b},' % (
            _encode(owners),
            _encode(_summary(job)),
            _encode(job.runs if job else None),
            _encode(every_seconds(job) if job else None),
        )
        head = _head(node_id, kind, entity, None)
        self._bytes += len(head) + len(tail)
        if self._bytes > _CACHE_BYTES:
            self._pieces.clear()
            self._bytes = len(head) + len(tail)
        piece = _Piece(entity.revision, writers, self._revision(writers), head, tail, owners)
        self._pieces[entity.node] = piece
        return piece

    def _facets(self, node: Node) -> Registers:
        return facets_of(self._state, node)

    def _owners(self, facets: Registers) -> tuple[str, ...]:
        if "ownership" not in facets:
            return ()
        ownership = self._renderer.contents.facet(f.Ownership, facets, "ownership")
        return tuple(dict.fromkeys(owner.name for owner in (ownership.owners if ownership else None) or ()))


def _line(piece: _Piece, hit: Impact, node: Node) -> bytes:
    return b"%b%d%b%b" % (piece.head, hit.nodes[node], _USES[hit.uses[node]], piece.tail)


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
