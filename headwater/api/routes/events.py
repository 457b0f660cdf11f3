"""Events as they were sent."""

from typing import Annotated

from litestar import Response, get
from litestar.params import QueryParameter

from headwater.api.context import App, answer, says
from headwater.api.parameters import Limit, Moment, Offset, one_of, time_of
from headwater.errors import BadRequest
from headwater.shapes import marquez as shapes
from headwater.store.protocol import EventFilter


# Marquez's Python client asks at `/events`.
@get(["/events/lineage", "/events"], responses=says(shapes.Events), summary="Events as they were sent")
async def events(
    app: App,
    before: Moment = None,
    after: Moment = None,
    sort_direction: Annotated[
        str, QueryParameter(name="sortDirection", description="By eventTime.", schema_extra=one_of("asc", "desc"))
    ] = "desc",
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response[bytes]:
    if sort_direction.lower() not in ("asc", "desc"):
        raise BadRequest("sortDirection must be asc or desc")
    events_filter = EventFilter(
        time_of("after", after), time_of("before", before), sort_direction.lower() == "desc", limit, offset
    )
    return answer(await app.history.events(events_filter))


routes = (events,)
