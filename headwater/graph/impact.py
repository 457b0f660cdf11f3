"""Who is hit: everything downstream of a job, a dataset or a column, nearest first.

The walk carries along which columns are hit, and how. A column is hit directly if some whole
way to it copies or computes values, indirectly if every way somewhere only filters, joins,
groups or sorts by them. Where no event says how columns are used, all may be hit: what lies
behind is hit in an unknown way.
"""

import msgspec

from headwater.graph.around import NOTHING, Around, AroundDataset, AroundJob, Names, Surroundings
from headwater.graph.columns import Column
from headwater.graph.slices import STEPS_PER_SLICE, Slices
from headwater.ids import Node
from headwater.model.entities import Job
from headwater.model.state import State

UNKNOWN, INDIRECT, DIRECT = range(3)

# To follow columns through a job takes some microseconds, and a hundred where they are to be read.
_JOBS_PER_SLICE = STEPS_PER_SLICE // 5
_READ_AT_ONCE = 25


class Impact(msgspec.Struct):
    nodes: dict[Node, int] = msgspec.field(default_factory=dict)  # jobs and datasets, with their distance
    uses: dict[Node, int] = msgspec.field(default_factory=dict)
    # By dataset: columns with their distance, and those of them that are hit directly.
    columns: dict[Node, list[tuple[int, Names]]] = msgspec.field(default_factory=dict)
    direct: dict[Node, Names] = msgspec.field(default_factory=dict)
    truncated: bool = False
    # How far the walk went to come to every end; None if depth or limit ended it.
    deepest: int | None = None
    # All that was looked at: while it is the same, so is the impact.
    looked_at: dict[Node, Surroundings] = msgspec.field(default_factory=dict)


class _Hit:
    """What of a dataset is newly hit, still to be followed."""

    __slots__ = ("direct", "every", "touched", "unknown")

    def __init__(self, *, every: bool = False, unknown: bool = False) -> None:
        self.direct = self.touched = NOTHING
        self.every = every  # all its columns, directly: the walk starts here
        self.unknown = unknown  # perhaps all of it


_Step = tuple[Node, _Hit, Node, list[Node]]
"""From a dataset through a job (the dataset behind, where no job was named) to what it reaches."""


def impact(state: State, around: Around, start: Node | Column, depth: int, limit: int) -> Slices[Impact, Impact]:
    """What is at most `depth` jobs away; of that the nearest `limit`."""
    return _Walk(state, around, depth, limit).run(start)


class _Walk:
    def __init__(self, state: State, around: Around, depth: int, limit: int) -> None:
        self._state, self._around, self._depth, self._limit = state, around, depth, limit
        around.make_room()
        self.impact = Impact()
        self._start: Node | None = None  # unless it is a column
        self._unknown: set[Node] = set()
        self._touched: dict[Node, Names] = {}
        self._fed: set[Node] = set()  # jobs that another job feeds
        # Hit in the last round:
        self._datasets: dict[Node, _Hit] = {}
        self._jobs: list[Node] = []

    def run(self, start: Node | Column) -> Slices[Impact, Impact]:
        canonical = self._state.aliases.canonical
        if isinstance(start, tuple):
            dataset, name = canonical(start[0]), start[1]
            column = frozenset((name,))
            self._note_columns(dataset, column, column, 0)
        else:
            self._start = canonical(start)
            if isinstance(self._state.nodes[self._start], Job):
                yield from self._through(self._start, 0)
            else:
                self._unknown.add(self._start)
                self._datasets[self._start] = _Hit(every=True, unknown=True)
        for distance in range(1, self._depth + 1):
            datasets, self._datasets = self._datasets, {}
            jobs, self._jobs = self._jobs, []
            if self.impact.truncated:
                break
            if not datasets and not jobs:
                self.impact.deepest = distance - 1
                break
            for job in jobs:
                yield from self._through(job, distance)
            yield from self._readers(datasets, distance)
        if isinstance(start, tuple):
            del self.impact.columns[dataset][0]  # where it began
        return self.impact

    def _readers(self, datasets: dict[Node, _Hit], distance: int) -> Slices[Impact, None]:
        """From datasets through the jobs that read them."""
        left = _JOBS_PER_SLICE
        steps: list[_Step] = []
        for source, hit in datasets.items():
            around = self._dataset(source)
            steps += [(source, hit, target, [target]) for target in around.fed]
            for job in around.readers:
                steps.append((source, hit, job, self._job(job).targets(source)))
                if len(steps) >= _READ_AT_ONCE:
                    self._follow(steps, distance)
                    left -= len(steps)
                    steps = []
                    if self.impact.truncated:
                        return
                    if left <= 0:
                        left = _JOBS_PER_SLICE
                        yield self.impact
        self._follow(steps, distance)

    def _follow(self, steps: list[_Step], distance: int) -> None:
        nodes, impact = self._state.nodes, self.impact
        self._around.prefetch([target for step in steps for target in step[3]])
        for source, hit, producer, outputs in steps:
            use = -1 if outputs and not hit.unknown else UNKNOWN
            for target in outputs:
                if isinstance(nodes[target], Job):
                    use = max(use, UNKNOWN)
                    self._feed(target, distance + 1)
                else:
                    use = max(use, self._reach(source, hit, producer, target, distance))
            if use >= UNKNOWN:
                self._hit(producer, use, distance)
            if impact.truncated:
                return

    def _through(self, job: Node, distance: int) -> Slices[Impact, None]:
        """All that a job writes."""
        for count, target in enumerate(self._job(job).outputs, 1):
            if isinstance(self._state.nodes[target], Job):
                self._feed(target, distance + 1)
            elif job == self._start:  # what it writes is its own, from the first column to the last
                self._hit(target, DIRECT, distance)
                self._unknown.add(target)
                self._datasets[target] = _Hit(every=True, unknown=True)
            else:
                self._hit_unknown(target, UNKNOWN, distance)
            if count % STEPS_PER_SLICE == 0:
                yield self.impact

    def _feed(self, job: Node, distance: int) -> None:
        """One job feeds another, with no dataset in between."""
        if job not in self._fed and distance <= self._depth:
            self._fed.add(job)
            self._jobs.append(job)
            self._hit(job, UNKNOWN, distance)

    def _reach(self, source: Node, hit: _Hit, producer: Node, target: Node, distance: int) -> int:
        """What is hit of an output, as far as the producer says; -1 for nothing."""
        uses = self._dataset(target).uses.get((producer, source))
        if uses is None:
            self._hit_unknown(target, UNKNOWN, distance)
            return UNKNOWN
        if hit.every:
            direct, touched = uses.direct, uses.touched
        else:
            direct, touched = uses.direct_by(hit.direct), uses.touched_by(hit.touched)
        use = DIRECT if direct else INDIRECT if touched else UNKNOWN if hit.unknown else -1
        if hit.unknown:
            self._hit_unknown(target, use, distance)
        elif use > UNKNOWN:
            self._hit(target, use, distance)
        if use > UNKNOWN and not self.impact.truncated:
            self._note_columns(target, direct, touched, distance)
        return use

    def _note_columns(self, target: Node, direct: Names, touched: Names, distance: int) -> None:
        """Columns that are hit directly are new even when they were hit indirectly before."""
        impact, known = self.impact, self._touched.get(target)
        if known is None:
            self._touched[target] = touched
            impact.columns[target] = [(distance, touched)]
            impact.direct[target] = direct
        else:
            touched, direct = touched - known, direct - impact.direct[target]
            if not touched and not direct:
                return
            self._touched[target] = known | touched
            impact.columns[target].append((distance, touched))
            impact.direct[target] |= direct
        pending = self._pending(target)
        pending.touched = pending.touched | touched if pending.touched else touched
        pending.direct = pending.direct | direct if pending.direct else direct

    def _pending(self, target: Node) -> _Hit:
        hit = self._datasets.get(target)
        if hit is None:
            hit = self._datasets[target] = _Hit()
        return hit

    def _hit_unknown(self, target: Node, use: int, distance: int) -> None:
        """All of it may be hit, whatever is known of some of its columns."""
        self._hit(target, use, distance)
        if target not in self._unknown:
            self._unknown.add(target)
            self._pending(target).unknown = True

    def _hit(self, node: Node, use: int, distance: int) -> None:
        impact = self.impact
        known = impact.uses.get(node)
        if known is not None:
            if use > known:
                impact.uses[node] = use
        elif node == self._start:
            return  # in a circle the walk comes back to where it began
        elif len(impact.nodes) >= self._limit:
            impact.truncated = True
        else:
            impact.nodes[node] = distance
            impact.uses[node] = use

    # What lies around, noted as it was when the walk first came by

    def _job(self, node: Node) -> AroundJob:
        around = self._around.job(node)
        self.impact.looked_at.setdefault(node, around)
        return around[1]

    def _dataset(self, node: Node) -> AroundDataset:
        around = self._around.dataset(node)
        self.impact.looked_at.setdefault(node, around)
        return around[1]
