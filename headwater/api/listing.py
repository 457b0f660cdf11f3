"""Lists in order, page by page, whatever their length.

Sorting a hundred thousand names for a page of twenty would cost more than the page. So the
order is kept, and before each list only what changed since the last one is put in its place.
"""

from collections.abc import Callable
from itertools import chain

from sortedcontainers import SortedList

from headwater.api.render import Renderer
from headwater.ids import Node
from headwater.model.entities import Dataset, Job

_JobKey = tuple[int, str, str, Node]
"""The last active first, then by name."""


class Listing:
    def __init__(self, renderer: Renderer) -> None:
        self._renderer, self._state = renderer, renderer.state
        state = self._state
        jobs = [state.job_of(node) for names in state.jobs.values() for node in names.values()]
        self._job_keys: dict[Node, _JobKey] = {job.node: _key(job) for job in jobs}
        self._all_jobs = SortedList(self._job_keys.values())
        self._jobs: dict[str, SortedList[_JobKey]] = {
            namespace: SortedList(self._job_keys[node] for node in names.values())
            for namespace, names in state.jobs.items()
        }
        self._datasets: dict[str, SortedList[str]] = {
            namespace: SortedList(name for name, node in names.items() if self.is_listed(node))
            for namespace, names in state.datasets.items()
        }
        state.touched.clear()
        self.followers: list[Callable[[Node], None]] = []  # who else wants to know what changed

    def jobs(self, namespace: str | None, limit: int, offset: int) -> tuple[list[Job], int]:
        self.catch_up()
        found = self._all_jobs if namespace is None else self._jobs.get(namespace, SortedList())
        page = found.islice(offset, offset + limit)
        return [self._state.job_of(key[3]) for key in page], len(found)

    def datasets(self, namespace: str, limit: int, offset: int) -> tuple[list[Node], int]:
        """Each dataset under its canonical name; those that were dropped are left out."""
        self.catch_up()
        found = self._datasets.get(namespace, SortedList())
        nodes = self._state.datasets.get(namespace, {})
        return [nodes[name] for name in found.islice(offset, offset + limit)], len(found)

    def catch_up(self) -> None:
        state = self._state
        touched, state.touched = state.touched, set()
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
        old, new = self._job_keys.get(job.node), _key(job)
        if old == new:
            return
        self._job_keys[job.node] = new
        for found in (self._all_jobs, self._jobs.setdefault(job.namespace, SortedList())):
            if old is not None:
                found.remove(old)
            found.add(new)

    def _place_dataset(self, dataset: Dataset) -> None:
        found = self._datasets.setdefault(dataset.namespace, SortedList())
        was, now = dataset.name in found, self.is_listed(dataset.node)
        if now and not was:
            found.add(dataset.name)
        elif was and not now:
            found.remove(dataset.name)

    def is_listed(self, node: Node) -> bool:
        """Whether a dataset goes by this name and was not dropped."""
        state = self._state
        if state.aliases.canonical(node) != node:
            return False
        members = state.aliases.members(node)
        if all(state.dataset_of(member).first is None for member in members):
            return False
        return not self._renderer.is_dropped(node)


def _key(job: Job) -> _JobKey:
    return -job.last, job.namespace, job.name, job.node
