"""`/freshness`: when a dataset was last written, by whom, and when it is due again."""

from typing import Annotated

from litestar import Response, get

from headwater.api.context import App, answer, says
from headwater.api.parameters import Moment, node_parameter, time_of
from headwater.ids import type_dataset
from headwater.shapes.freshness import Freshness

DatasetId = Annotated[str, node_parameter("nodeId", type_dataset)]


@get("/freshness", responses=says(Freshness), summary="When a dataset was last written, and whether it is late")
async def get_freshness(app: App, node_id: DatasetId, at: Moment = None) -> Response[bytes]:
    return answer(await app.freshness.freshness(node_id, time_of("at", at)))


routes = (get_freshness,)
