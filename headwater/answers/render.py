"""State → shapes. What needs the tables (runs, versions) is in `history.py`."""

from collections.abc import Mapping

from msgspec import Raw

from headwater.answers.facet_json import shown_facets
from headwater.answers.render_datasets import DatasetRenderer
from headwater.answers.render_jobs import JobRenderer
from headwater.facet_contents import Contents
from headwater.ids import ContentId
from headwater.model.entities import Registers
from headwater.model.state import State


class Renderer:
    def __init__(self, state: State, contents: Contents) -> None:
        self.state, self.contents = state, contents
        self.datasets, self.jobs = DatasetRenderer(state, contents), JobRenderer(state, contents)

    def shown_facets(self, facets: Registers, contents: Mapping[ContentId, bytes] | None = None) -> dict[str, Raw]:
        return shown_facets(self.contents, facets, contents)
