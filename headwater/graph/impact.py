"""Who is hit: everything downstream of a job, a dataset or a column, nearest first.

The walk carries along which columns are hit, and how. A column is hit directly if some whole
way to it copies or computes values, indirectly if every way somewhere only filters, joins,
groups or sorts by them. Where nobody said how columns are used, all may be hit: what lies
behind is hit in an unknown way.
"""

from collections.abc import Iterable

import msgspec

from headwater.graph.columns import Column, ColumnWalk, Links, Reader
from headwater.graph.flow import Flow
from headwater.graph.slices import STEPS_PER_SLICE, Slices, finish
from headwater.graph.when import Always, When
from headwater.ids import Node
from headwater.model.entities import Edge, Job
from headwater.model.state import State

UNKNOWN, INDIRECT, DIRECT = range(3)

_NOTHING: frozenset[str] = frozenset()

# To follow columns through a job takes some ten microseconds.
_READERS_PER_SLICE = STEPS_PER_SLICE // 10


class Impact(msgspec.Struct):
    nodes: dict[Node, int] = msgspec.field(default_factory=dict)  # jobs and datasets, with their distance
    uses: dict[Node, int] = msgspec.field(default_factory=dict)
    # By dataset: columns with their distance, and those of them that are hit directly.
    columns: dict[Node, list[tuple[int, frozenset[str]]]] = msgspec.field(default_factory=dict)
    direct: dict[Node, frozenset[str]] = msgspec.field(default_factory=dict)
    truncated: bool = False
    # How far the walk went to come to every end; None if depth or limit ended it.
    deepest: int | None = None


class _Use(msgspec.Struct, gc=False):
    """The columns of one output that use something: directly, and at all."""

    direct: frozenset[str] = _NOTHING
    touched: frozenset[str] = _NOTHING

    def add(self, other: "_Use") -> None:
        self.direct |= other.direct
        self.touched |= other.touched


class Uses(msgspec.Struct, gc=False):
    """What the columns of one dataset use of another, as one job said."""

    of: dict[str, _Use]  # by column of the other
    whole: _Use  # of any of them

    def touched_by(self, names: frozenset[str]) -> frozenset[str]:
        if names >= self.of.keys():
            return self.whole.touched
        return _NOTHING.union(*[self.of[name].touched for name in names if name in self.of])

    def directly_by(self, names: frozenset[str]) -> frozenset[str]:
        if names >= self.of.keys():
            return self.whole.direct
        return _NOTHING.union(*[self.of[name].direct for name in names if name in self.of])


class Kept:
    """What is worth keeping between questions: for a job its present flow with the revision that
    it belongs to, for a dataset what it uses of others with the links that say so."""

    # Some hundred bytes each.
    MOST = 100_000

    def __init__(self) -> None:
        self.flows: dict[Node, tuple[int, Flow]] = {}
        self.uses: dict[Node, tuple[Links, dict[tuple[Node, Node], Uses]]] = {}

    def make_room(self) -> None:
        if len(self.flows) + len(self.uses) > self.MOST:
            self.flows.clear()
            self.uses.clear()


class _Hit:
    """What of a dataset is newly hit, still to be followed."""

    __slots__ = ("direct", "every", "touched", "unknown")

    def __init__(self, *, every: bool = False, unknown: bool = False) -> None:
        self.direct = self.touched = _NOTHING
        self.every = every  # all its columns, directly: the walk starts here
        self.unknown = unknown  # perhaps all of it


def impact(
    state: State,
    reader: Reader,
    start: Node | Column,
    depth: int,
    limit: int,
    when: When | None = None,
    kept: Kept | None = None,
) -> Impact:
    return finish(impact_in_slices(state, reader, start, depth, limit, when, kept))


def impact_in_slices(
    state: State,
    reader: Reader,
    start: Node | Column,
    depth: int,
    limit: int,
    when: When | None = None,
    kept: Kept | None = None,
) -> Slices[Impact, Impact]:
    """What is at most `depth` jobs away; of that the nearest `limit`."""
    return _Walk(state, reader, when or Always(), kept or Kept(), depth, limit).run(start)


class _Walk:
    def __init__(self, state: State, reader: Reader, when: When, kept: Kept, depth: int, limit: int) -> None:
        self._state, self._when, self._depth, self._limit = state, when, depth, limit
        self._canonical = state.aliases.canonical
        self._columns = ColumnWalk(state, reader, when)
        kept.make_room()
        # Of most datasets the same is told at any time; the flow is of one moment.
        self._uses_kept = kept.uses
        self._flows_kept = kept.flows if isinstance(when, Always) else {}
        self.found = Impact()
        self._start: Node | None = None  # unless it is a column
        self._unknown: set[Node] = set()
        self._touched: dict[Node, frozenset[str]] = {}
        self._fed: set[Node] = set()  # jobs that another job feeds
        # Hit in the last round:
        self._datasets: dict[Node, _Hit] = {}
        self._jobs: list[Node] = []

    def run(self, start: Node | Column) -> Slices[Impact, Impact]:
        if isinstance(start, tuple):
            dataset, name = self._canonical(start[0]), start[1]
            column = frozenset((name,))
            self._note_columns(dataset, column, column, 0)
        else:
            self._start = self._canonical(start)
            if isinstance(self._state.nodes[self._start], Job):
                yield from self._through(self._start, self._flow(self._start).outputs, 0)
            else:
                self._unknown.add(self._start)
                self._datasets[self._start] = _Hit(every=True, unknown=True)
        for distance in range(1, self._depth + 1):
            datasets, self._datasets = self._datasets, {}
            jobs, self._jobs = self._jobs, []
            if self.found.truncated:
                break
            if not datasets and not jobs:
                self.found.deepest = distance - 1
                break
            for job in jobs:
                yield from self._through(job, self._flow(job).outputs, distance)
            yield from self._readers(datasets, distance)
        if isinstance(start, tuple):
            del self.found.columns[dataset][0]  # where it began
        return self.found

    def _readers(self, datasets: dict[Node, _Hit], distance: int) -> Slices[Impact, None]:
        """From datasets through the jobs that read them."""
        state, alive = self._state, self._when.alive
        left = _READERS_PER_SLICE
        for node, hit in datasets.items():
            for member in state.aliases.members(node):
                for edge in state.nodes[member].out:
                    left -= 1
                    if left <= 0:
                        left = _READERS_PER_SLICE
                        yield self.found
                    if edge.src == edge.dst or not alive(state, edge):
                        continue
                    if isinstance(state.nodes[edge.dst], Job):
                        left -= self._through_job(node, hit, edge.dst, distance)
                    else:  # nobody named the job
                        target = self._canonical(edge.dst)
                        self._reach(node, hit, target, target, distance)
                    if self.found.truncated:
                        return

    def _through_job(self, source: Node, hit: _Hit, job: Node, distance: int) -> int:
        """Returns how many outputs were looked at."""
        state, canonical = self._state, self._canonical
        outputs = self._flow(job).targets(source)
        use = -1 if outputs and not hit.unknown else UNKNOWN
        for out in outputs:
            if isinstance(state.nodes[out.dst], Job):
                use = max(use, UNKNOWN)
                self._feed(out.dst, distance + 1)
            else:
                use = max(use, self._reach(source, hit, job, canonical(out.dst), distance))
        if use >= UNKNOWN:
            self._hit(job, use, distance)
        return len(outputs)

    def _through(self, job: Node, outputs: Iterable[Edge], distance: int) -> Slices[Impact, None]:
        """All that a job writes."""
        for count, out in enumerate(outputs, 1):
            if isinstance(self._state.nodes[out.dst], Job):
                self._feed(out.dst, distance + 1)
            elif job == self._start:  # what it writes is its own, from the first column to the last
                target = self._canonical(out.dst)
                self._hit(target, DIRECT, distance)
                self._unknown.add(target)
                self._datasets[target] = _Hit(every=True, unknown=True)
            else:
                self._hit_unknown(self._canonical(out.dst), distance)
            if count % STEPS_PER_SLICE == 0:
                yield self.found

    def _feed(self, job: Node, distance: int) -> None:
        """One job feeds another, with no dataset in between."""
        if job not in self._fed and distance <= self._depth:
            self._fed.add(job)
            self._jobs.append(job)
            self._hit(job, UNKNOWN, distance)

    def _reach(self, source: Node, hit: _Hit, producer: Node, target: Node, distance: int) -> int:
        """What is hit of an output, as far as the producer says; -1 for nothing."""
        told = self._uses(target).get((producer, source))
        if told is None:
            self._hit_unknown(target, distance)
            return UNKNOWN
        if hit.every:
            direct, touched = told.whole.direct, told.whole.touched
        else:
            touched, direct = told.touched_by(hit.touched), told.directly_by(hit.direct)
        if hit.unknown:
            self._hit_unknown(target, distance)
        if not touched and not direct:
            return UNKNOWN if hit.unknown else -1
        use = DIRECT if direct else INDIRECT
        self._hit(target, use, distance)
        if not self.found.truncated:
            self._note_columns(target, direct, touched, distance)
        return use

    def _note_columns(self, target: Node, direct: frozenset[str], touched: frozenset[str], distance: int) -> None:
        """Columns that are hit directly are new even when they were hit indirectly before."""
        found, known = self.found, self._touched.get(target)
        if known is None:
            self._touched[target] = touched
            found.columns[target] = [(distance, touched)]
            found.direct[target] = direct
        else:
            touched, direct = touched - known, direct - found.direct[target]
            if not touched and not direct:
                return
            self._touched[target] = known | touched
            found.columns[target].append((distance, touched))
            found.direct[target] |= direct
        pending = self._pending(target)
        pending.touched |= touched
        pending.direct |= direct

    def _pending(self, target: Node) -> _Hit:
        hit = self._datasets.get(target)
        if hit is None:
            hit = self._datasets[target] = _Hit()
        return hit

    def _hit_unknown(self, target: Node, distance: int) -> None:
        self._hit(target, UNKNOWN, distance)
        if target not in self._unknown:
            self._unknown.add(target)
            self._pending(target).unknown = True

    def _hit(self, node: Node, use: int, distance: int) -> None:
        found = self.found
        known = found.uses.get(node)
        if known is not None:
            if use > known:
                found.uses[node] = use
        elif node == self._start:
            return  # in a circle the walk comes back to where it began
        elif len(found.nodes) >= self._limit:
            found.truncated = True
        else:
            found.nodes[node] = distance
            found.uses[node] = use

    # What is kept

    def _flow(self, node: Node) -> Flow:
        job = self._state.job_of(node)
        known = self._flows_kept.get(node)
        if known is None or known[0] != job.revision:
            known = self._flows_kept[node] = (job.revision, Flow(self._state, job, self._when))
        return known[1]

    def _uses(self, target: Node) -> dict[tuple[Node, Node], Uses]:
        links = self._columns.links(target)
        known = self._uses_kept.get(target)
        if known is None or known[0] is not links:
            known = self._uses_kept[target] = (links, self._make_uses(links))
        return known[1]

    def _make_uses(self, links: Links) -> dict[tuple[Node, Node], Uses]:
        found: dict[tuple[Node, Node], Uses] = {}
        for name, edges in links.items():
            one = frozenset((name,))
            for edge in edges:
                # Whoever names a column without a word on how it is used gets its values.
                is_direct = not edge.transformations or any(t.type.upper() == "DIRECT" for t in edge.transformations)
                use = _Use(one if is_direct else _NOTHING, one)
                for producer in map(self._canonical, edge.producers):
                    told = found.get((producer, edge.src[0]))
                    if told is None:
                        told = found[producer, edge.src[0]] = Uses({}, _Use())
                    told.of.setdefault(edge.src[1], _Use()).add(use)
                    told.whole.add(use)
        return found
