"""What every handler works with, and how it answers."""

from dataclasses import dataclass
from typing import Any

import msgspec
from litestar import Response
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec

from headwater.api.diffs import DiffWriter
from headwater.api.gaps import GapFinder
from headwater.api.graphs import GraphWriter
from headwater.api.history import History
from headwater.api.impacts import ImpactWriter
from headwater.api.ingest import Ingest
from headwater.api.listing import Listing
from headwater.api.render import Renderer
from headwater.connect.clusters import Clusters
from headwater.contents import Contents
from headwater.model.state import State
from headwater.search.search import Search
from headwater.service import Service

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
    return {status: ResponseSpec(data_container=shape, description="The answer", generate_examples=False)}
