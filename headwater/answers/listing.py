"""Lists in order, page by page, whatever their length.

Sorting a hundred thousand names for a page of twenty would cost more than the page. So the
order is kept, and before each list only what changed since the last one is put in its place.
"""

from collections.abc import Callable, Sequence
from heapq import merge
from itertools import chain, islice

from sortedcontainers import SortedList

from headwater.answers.creation_counts import CreationCounts
from headwater.answers.render import Renderer
from headwater.ids import Micros, Node
from headwater.model.entities import Dataset, Job
from headwater.model.shown import is_shown

_JobKey = tuple[int, str, str, Node]
"""The last active first, then by name."""

_Part = tuple[str | None, str | None]
"""The jobs of a namespace or (None) of all, with the last run in one state or (None) in any."""


class Listing:
    def __init__(self, renderer: Renderer) -> None:
        self._state = renderer.state
        state = self._state
        self.created_jobs, self.created_datasets = CreationCounts(), CreationCounts()
        self._placed: dict[Node, tuple[_JobKey, str]] = {}  # jobs with their place and last run's state
        together: dict[_Part, list[_JobKey]] = {}
        for job in (state.job_of(node) for names in state.jobs.values() for node in names.values()):
            if not state.is_hidden(job.node):
                key, run_state = self._placed[job.node] = _place(job)
                for part in _parts(job.namespace, run_state):
                    together.setdefault(part, []).append(key)
                self.created_jobs.put(job.node, job.first)
        self._jobs = {part: SortedList(keys) for part, keys in together.items()}
        self._datasets: dict[str, SortedList[str]] = {
            namespace: SortedList(name for name, node in names.items() if self.is_listed(node))
            for namespace, names in state.datasets.items()
        }
        for namespace, listed in self._datasets.items():
            for name in listed:
                node = state.datasets[namespace][name]
                self.created_datasets.put(node, self._first(node))
        self._touched = state.follow()
        self.created_sources = CreationCounts()
        self._sources: dict[str, Node] = {}  # numbered, for counting
        state.touched_sources.update(state.sources)
        self.followers: list[Callable[[Node], None]] = []  # who else wants to know what changed

    def jobs(
        self, namespace: str | None, limit: int, offset: int, run_states: Sequence[str] = ()
    ) -> tuple[list[Job], int]:
        """With `run_states` only those whose last run is in one of them."""
        self.catch_up()
        parts: list[_Part] = [(namespace, run_state) for run_state in dict.fromkeys(run_states)]
        parts = parts or [(namespace, None)]
        lists = [self._jobs[part] for part in parts if part in self._jobs]
        if len(lists) == 1:
            page = lists[0].islice(offset, offset + limit)
        else:
            page = islice(merge(*lists), offset, offset + limit)
        return [self._state.job_of(key[3]) for key in page], sum(map(len, lists))

    def datasets(self, namespace: str, limit: int, offset: int) -> tuple[list[Node], int]:
        """Each dataset under its canonical name; those that were dropped are left out."""
        self.catch_up()
        names = self._datasets.get(namespace, SortedList())
        nodes = self._state.datasets.get(namespace, {})
        return [nodes[name] for name in names.islice(offset, offset + limit)], len(names)

    def catch_up(self) -> None:
        state = self._state
        sources, state.touched_sources = state.touched_sources, set()
        for name in sources:
            number = self._sources.setdefault(name, Node(len(self._sources)))
            self.created_sources.put(number, state.sources[name].first)
        touched = state.take_touched(self._touched)
        # What is shown of a dataset may hang on any of its other names.
        groups = (state.aliases.members(node) for node in touched if isinstance(state.nodes[node], Dataset))
        for node in touched.union(chain.from_iterable(groups)):
            entity = state.nodes[node]
            if isinstance(entity, Job):
                self._place_job(entity)
            else:
                self._place_dataset(entity)
            for follow in self.followers:
                follow(node)

    def _place_job(self, job: Job) -> None:
        hidden = self._state.is_hidden(job.node)
        self.created_jobs.put(job.node, None if hidden else job.first)
        old, new = self._placed.get(job.node), None if hidden else _place(job)
        if old == new:
            return
        if old is not None:
            del self._placed[job.node]
            for part in _parts(job.namespace, old[1]):
                self._jobs[part].remove(old[0])
        if new is not None:
            self._placed[job.node] = new
            for part in _parts(job.namespace, new[1]):
                self._jobs.setdefault(part, SortedList()).add(new[0])

    def _place_dataset(self, dataset: Dataset) -> None:
        names = self._datasets.setdefault(dataset.namespace, SortedList())
        was, now = dataset.name in names, self.is_listed(dataset.node)
        if now and not was:
            names.add(dataset.name)
        elif was and not now:
            names.remove(dataset.name)
        self.created_datasets.put(dataset.node, self._first(dataset.node) if now else None)

    def _first(self, node: Node) -> Micros | None:
        firsts = (self._state.dataset_of(member).first for member in self._state.aliases.members(node))
        return min((first for first in firsts if first is not None), default=None)

    def is_listed(self, node: Node) -> bool:
        """Whether a dataset goes by this name and was not dropped."""
        return is_shown(self._state, node)


_NO_RUN = ""


def _place(job: Job) -> tuple[_JobKey, str]:
    key = (-job.last, job.namespace, job.name, job.node)
    return key, job.latest.state if job.latest is not None else _NO_RUN


def _parts(namespace: str, run_state: str) -> tuple["_Part", ...]:
    return (None, None), (namespace, None), (None, run_state), (namespace, run_state)
