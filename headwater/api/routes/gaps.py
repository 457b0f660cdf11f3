"""What nobody looks after: jobs without owner, datasets without producer or consumer."""

from typing import Annotated

from litestar import Response, get
from litestar.params import Parameter

from headwater.answers.gaps import KINDS
from headwater.api.context import App, answer, says
from headwater.api.parameters import Limit, Offset, one_of
from headwater.errors import BadRequest
from headwater.shapes.freshness import Gaps


@get("/gaps", responses=says(Gaps), summary="Jobs without owner, datasets without producer or consumer")
async def gaps(
    app: App,
    kind: Annotated[str, Parameter(description="What is missing.", schema_extra=one_of(*KINDS))],
    namespace: Annotated[str | None, Parameter(description="Only in this namespace.")] = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response[bytes]:
    if kind not in KINDS:
        raise BadRequest(f"kind {kind!r} is not one of {', '.join(KINDS)}")
    return answer(await app.gaps.gaps(kind, namespace, limit, offset))


routes = (gaps,)
