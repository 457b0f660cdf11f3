"""`/runlineage`: which versions fed which run, up and down the chain."""

from typing import Annotated

from litestar import Response, get
from litestar.params import QueryParameter

from headwater.answers.run_lineage import RunChain
from headwater.api.context import App, answer, says
from headwater.api.parameters import Depth
from headwater.shapes.run_lineage import RunLineage

RunIdParameter = Annotated[str, QueryParameter(name="runId", description="The run to start from.")]


@get("/runlineage/upstream", responses=says(RunLineage), summary="Runs that wrote what a run read, and so on upstream")
async def get_run_upstream(app: App, run_id: RunIdParameter, depth: Depth = 20) -> Response[bytes]:
    return answer(await RunChain(app.service).linked(run_id, depth, up=True))


@get(
    "/runlineage/downstream",
    responses=says(RunLineage),
    summary="Runs that read what a run wrote, and so on downstream",
)
async def get_run_downstream(app: App, run_id: RunIdParameter, depth: Depth = 20) -> Response[bytes]:
    return answer(await RunChain(app.service).linked(run_id, depth, up=False))


routes = (get_run_upstream, get_run_downstream)
