"""The graph around a job, dataset or column: lineage, paths between two nodes, and impact."""

from typing import Annotated

from litestar import Response, get
from litestar.params import Parameter, QueryParameter

from headwater.answers.finding import find_columns, find_node
from headwater.answers.sliced import run_sliced
from headwater.api.context import App, answer, says
from headwater.api.parameters import (
    WITH_COLUMNS,
    Depth,
    Moment,
    NodeId,
    NodeOrColumnId,
    node_parameter,
    one_of,
    when_of,
)
from headwater.errors import BadRequest
from headwater.graph.columns import Column
from headwater.graph.traverse import DIRECTIONS
from headwater.graph.when import When
from headwater.ids import Node, type_field
from headwater.shapes import marquez as shapes
from headwater.shapes.impact import Impact

# Larger answers would be of no use to anybody, and take seconds.
_MOST_IMPACTED = 100_000


@get("/lineage", responses=says(shapes.Graph), summary="Lineage around a job or dataset")
async def lineage(
    app: App,
    node_id: NodeId,
    depth: Depth = 20,
    direction: Annotated[
        str, Parameter(description="Direction to follow.", schema_extra=one_of(*DIRECTIONS))
    ] = DIRECTIONS[0],
    at: Moment = None,
    since: Moment = None,
    until: Moment = None,
) -> Response[bytes]:
    if direction not in DIRECTIONS:
        raise BadRequest(f"direction {direction!r} is not one of {', '.join(DIRECTIONS)}")
    when = when_of(at, since, until)
    start = find_node(app.state, node_id, when)
    return answer(await app.graphs.lineage(start, depth, direction, when))


@get("/column-lineage", responses=says(shapes.Graph), summary="Lineage of columns")
async def get_column_lineage(
    app: App,
    node_id: NodeOrColumnId,
    depth: Depth = 20,
    with_downstream: Annotated[
        bool, QueryParameter(name="withDownstream", description="Include downstream columns.")
    ] = False,
    at: Moment = None,
    since: Moment = None,
    until: Moment = None,
) -> Response[bytes]:
    when = when_of(at, since, until)
    start = await _columns(app, node_id, when)
    return answer(await app.graphs.column_lineage(start, depth, down=with_downstream, when=when))


async def _columns(app: App, node_id: str, when: When) -> list[Column]:
    return await run_sliced(find_columns(app.state, app.contents, node_id, when))


@get("/impact", responses=says(Impact), summary="Everything downstream of a job, dataset or column")
async def impact(
    app: App,
    node_id: NodeOrColumnId,
    depth: Depth = 20,
    limit: Annotated[
        int, Parameter(ge=0, le=_MOST_IMPACTED, description="Maximum number of jobs and datasets.")
    ] = 10_000,
    at: Moment = None,
) -> Response[bytes]:
    when = when_of(at, None, None)
    start: Node | Column = (
        (await _columns(app, node_id, when))[0]
        if node_id.startswith(type_field + ":")
        else find_node(app.state, node_id, when)
    )
    return answer(await app.impacts.impact(start, depth, limit, when))


@get("/path", responses=says(shapes.Graph), summary="All paths between two nodes or two columns")
async def path(
    app: App,
    start: Annotated[str, node_parameter("from", *WITH_COLUMNS)],
    end: Annotated[str, node_parameter("to", *WITH_COLUMNS)],
    at: Moment = None,
) -> Response[bytes]:
    when = when_of(at, None, None)
    if start.startswith(type_field + ":") or end.startswith(type_field + ":"):
        columns = await _columns(app, start, when), await _columns(app, end, when)
        return answer(await app.graphs.column_path(*columns, when))
    ends = find_node(app.state, start, when), find_node(app.state, end, when)
    return answer(await app.graphs.path(*ends, when))


routes = (lineage, get_column_lineage, impact, path)
