"""`/runlineage`: which versions fed which run, up and down the chain."""

from typing import Annotated

from litestar import Response, get
from litestar.params import QueryParameter

from headwater.answers.run_lineage import RunChain
from headwater.api.context import App, answer, says
from headwater.api.parameters import Depth
from headwater.shapes.run_lineage import RunLineage

RunIdParameter = Annotated[str, QueryParameter(name="runId", description="The run to begin with.")]


@get("/runlineage/upstream", responses=says(RunLineage), summary="The runs whose versions fed a run, and those before")
async def get_run_upstream(app: App, run_id: RunIdParameter, depth: Depth = 20) -> Response[bytes]:
    return answer(await RunChain(app.service).linked(run_id, depth, up=True))


@get("/runlineage/downstream", responses=says(RunLineage), summary="The runs that read what a run wrote, and on")
async def get_run_downstream(app: App, run_id: RunIdParameter, depth: Depth = 20) -> Response[bytes]:
    return answer(await RunChain(app.service).linked(run_id, depth, up=False))


routes = (get_run_upstream, get_run_downstream)
