"""Routes of Headwater's own questions: who is hit, how does it get there, what changed, what is missing."""

from typing import Annotated

from litestar import Response, get
from litestar.params import Parameter, QueryParameter

from headwater.api.context import App, answer, says
from headwater.api.finding import find_columns_in_slices, find_node
from headwater.api.gaps import KINDS
from headwater.api.parameters import (
    JOB_OR_DATASET,
    MOMENT,
    WITH_COLUMNS,
    Depth,
    Limit,
    Moment,
    NodeOrColumnId,
    Offset,
    node_parameter,
    one_of,
    time_of,
    when_of,
)
from headwater.api.turns import in_turns
from headwater.errors import BadRequest, NotFound
from headwater.graph.columns import Column
from headwater.graph.when import At, When
from headwater.ids import Micros, Node, type_field
from headwater.service import now
from headwater.shapes import marquez as shapes
from headwater.shapes.diff import Diff
from headwater.shapes.freshness import Gaps
from headwater.shapes.impact import Impact

# Larger answers would be of no use to anybody, and take seconds.
_MOST_IMPACTED = 100_000


async def _columns(app: App, node_id: str, when: When) -> list[Column]:
    return await in_turns(find_columns_in_slices(app, node_id, when))


@get("/impact", responses=says(Impact), summary="Everything downstream of a job, dataset or column")
async def impact(
    app: App,
    node_id: NodeOrColumnId,
    depth: Depth = 20,
    limit: Annotated[int, Parameter(ge=0, le=_MOST_IMPACTED, description="Jobs and datasets, at the most.")] = 10_000,
    at: Moment = None,
) -> Response[bytes]:
    when = when_of(at, None, None)
    start: Node | Column = (
        (await _columns(app, node_id, when))[0]
        if node_id.startswith(type_field + ":")
        else find_node(app.state, node_id, when)
    )
    return answer(await app.impacts.impact(start, depth, limit, when))


@get("/path", responses=says(shapes.Graph), summary="All ways between two nodes, or between two columns")
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


@get("/diff", responses=says(Diff), summary="What changed between two moments, around a node or everywhere")
async def diff(
    app: App,
    since: Annotated[str, QueryParameter(name="from", description="An ISO 8601 date-time.", schema_extra=MOMENT)],
    until: Annotated[
        str | None, QueryParameter(name="to", description="An ISO 8601 date-time; else now.", schema_extra=MOMENT)
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


@get("/gaps", responses=says(Gaps), summary="Jobs without owner, datasets without producer or consumer")
async def gaps(
    app: App,
    kind: Annotated[str, Parameter(description="What is missing.", schema_extra=one_of(*KINDS))],
    namespace: Annotated[str | None, Parameter(description="Only those in this namespace.")] = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response[bytes]:
    if kind not in KINDS:
        raise BadRequest(f"kind {kind!r} is none of {', '.join(KINDS)}")
    return answer(await app.gaps.gaps(kind, namespace, limit, offset))


handlers = [impact, path, diff, gaps]
