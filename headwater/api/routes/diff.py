"""What changed between two moments."""

from typing import Annotated

from litestar import Response, get
from litestar.params import QueryParameter

from headwater.answers.finding import find_node
from headwater.api.context import App, answer, says
from headwater.api.parameters import JOB_OR_DATASET, MOMENT, Depth, Limit, node_parameter, time_of
from headwater.errors import NotFound
from headwater.graph.when import At
from headwater.ids import Micros, Node
from headwater.openlineage.timestamps import now
from headwater.shapes.diff import Diff


@get("/diff", responses=says(Diff), summary="What changed between two moments, around a node or everywhere")
async def diff(
    app: App,
    since: Annotated[str, QueryParameter(name="from", description="An ISO 8601 date-time.", schema_extra=MOMENT)],
    until: Annotated[
        str | None, QueryParameter(name="to", description="An ISO 8601 date-time; default: now.", schema_extra=MOMENT)
    ] = None,
    around: Annotated[str | None, node_parameter("nodeId", *JOB_OR_DATASET)] = None,
    depth: Depth = 20,
    limit: Limit = 1000,
) -> Response[bytes]:
    before, after = time_of("from", since), time_of("to", until)
    assert before is not None
    if after is None:
        after = now()
    start = None if around is None else _find_at_either(app, around, before, after)
    return answer(await app.diffs.diff(before, after, start, depth, limit))


def _find_at_either(app: App, node_id: str, before: Micros, after: Micros) -> Node:
    """What was deleted by one of the moments may be there at the other."""
    try:
        return find_node(app.state, node_id, At(after))
    except NotFound:
        return find_node(app.state, node_id, At(before))


routes = (diff,)
