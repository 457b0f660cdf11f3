"""`/late`: jobs whose next run is overdue, and runs that are stuck."""

from typing import Annotated

from litestar import Response, get
from litestar.params import Parameter

from headwater.api.context import App, answer, says
from headwater.shapes.late import Late

Examined = Annotated[
    int, Parameter(ge=0, le=1000, description="How many of the running jobs, and how many of the others, to examine.")
]


@get("/late", responses=says(Late), summary="Jobs that are late, and runs that are stuck")
async def get_late(app: App, limit: Examined = 300) -> Response[bytes]:
    return answer(await app.late.late(limit))


routes = (get_late,)
