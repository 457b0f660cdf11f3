"""All routes, one module a resource. A route reads parameters, asks `answers`, and answers."""

from litestar import Router
from litestar.handlers import HTTPRouteHandler

from headwater.api.options import options
from headwater.api.routes import (
    connectors,
    datasets,
    diff,
    events,
    freshness,
    gaps,
    ingest,
    jobs,
    late,
    lineage,
    live,
    namespaces,
    run_lineage,
    runs,
    search,
    sources,
    stats,
    system,
    tags,
    why,
)

_RESOURCES = (
    lineage,
    events,
    ingest,
    namespaces,
    sources,
    tags,
    datasets,
    jobs,
    runs,
    stats,
    connectors,
    live,
    search,
    why,
    freshness,
    late,
    run_lineage,
    diff,
    gaps,
)
_handlers: list[HTTPRouteHandler] = [handler for resource in _RESOURCES for handler in resource.routes]

api_router = Router("/api/v1", route_handlers=[options(_handlers), *_handlers])
all_routes = (api_router, search.beta_router, *system.routes)
