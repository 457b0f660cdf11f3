"""OPTIONS: which methods a path has. Litestar's own answer knows only those that came first."""

from collections.abc import Iterable
from typing import Any

from litestar import HttpMethod, Request, Response, route
from litestar.handlers import HTTPRouteHandler


def options(handlers: Iterable[HTTPRouteHandler]) -> HTTPRouteHandler:
    """To be registered before these handlers."""
    paths = sorted({path for handler in handlers for path in handler.paths})

    @route(paths, http_method=HttpMethod.OPTIONS, status_code=204, include_in_schema=False)
    async def allowed(request: Request[Any, Any, Any]) -> Response[None]:
        template = request.scope["path_template"]
        methods = {method for each in request.app.routes if each.path_format == template for method in each.methods}
        return Response(None, status_code=204, headers={"allow": ", ".join(sorted(methods))})

    return allowed
