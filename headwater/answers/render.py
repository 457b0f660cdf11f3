"""State → shapes. What needs the tables (runs, versions) is in `history.py`."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Raw

from headwater.answers import render_datasets, render_jobs
from headwater.answers.facet_json import shown_facets
from headwater.answers.render_datasets import DatasetRenderer
from headwater.answers.render_jobs import JobRenderer
from headwater.facet_contents import Contents
from headwater.ids import ContentId, Node
from headwater.interpret.datasets import SCHEMAS
from headwater.model.entities import Job, Registers
from headwater.model.shown import facets_of
from headwater.model.state import State


class Renderer:
    def __init__(self, state: State, contents: Contents) -> None:
        self.state, self.contents = state, contents
        self.datasets, self.jobs = DatasetRenderer(state, contents), JobRenderer(state, contents)

    def contents_of(self, nodes: Iterable[Node]) -> Iterator[ContentId]:
        """What the data of jobs and datasets is made from."""
        for node in nodes:
            facets = facets_of(self.state, node)
            is_job = isinstance(self.state.nodes[node], Job)
            for name in render_jobs.FACETS_READ if is_job else (*render_datasets.FACETS_READ, *SCHEMAS):
                if name in facets:
                    yield facets[name][2]

    def shown_facets(self, facets: Registers, contents: Mapping[ContentId, bytes] | None = None) -> dict[str, Raw]:
        return shown_facets(self.contents, facets, contents)
