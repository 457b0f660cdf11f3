"""What every handler works with, and how it answers."""

from dataclasses import dataclass
from typing import Any

import msgspec
from litestar import Response
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec

from headwater.answers.diffs import DiffWriter
from headwater.answers.freshness import FreshnessFinder
from headwater.answers.gaps import GapFinder
from headwater.answers.graphs import GraphWriter
from headwater.answers.history import History
from headwater.answers.impacts import ImpactWriter
from headwater.answers.late import LateFinder
from headwater.answers.listing import Listing
from headwater.answers.render import Renderer
from headwater.answers.why import RootCauses
from headwater.api.ingest import Ingest
from headwater.connect.clusters import Clusters
from headwater.facet_contents import Contents
from headwater.ingest.service import Service
from headwater.model.state import State
from headwater.search.search import Search

_encode = msgspec.json.Encoder().encode


@dataclass
class Context:
    """What the handlers work with."""

    service: Service
    contents: Contents
    renderer: Renderer
    history: History
    graphs: GraphWriter
    listing: Listing
    search: Search
    impacts: ImpactWriter
    diffs: DiffWriter
    gaps: GapFinder
    root_causes: RootCauses
    freshness: FreshnessFinder
    late: LateFinder
    ingest: Ingest
    clusters: Clusters

    @property
    def state(self) -> State:
        return self.service.state


App = NamedDependency[Context]
"""As a handler's parameter `app`."""


def answer(body: Any) -> Response[bytes]:
    return Response(body if isinstance(body, bytes) else _encode(body), media_type="application/json")


def says(shape: Any, status: int = 200) -> dict[int, ResponseSpec]:
    return {status: ResponseSpec(data_container=shape, description="The response", generate_examples=False)}
