"""The MCP server: a small set of tools, each one question to a Headwater server.

Tools are plain functions, which the library runs on threads of its own; the client is shared.
"""

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Annotated, Any, Literal, ParamSpec

import msgspec
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field
from rich.console import RenderableType

from headwater import __version__
from headwater.client import Client, names
from headwater.client.moments import moment
from headwater.draw.drawing import Drawing, drawing_of
from headwater.errors import HeadwaterError
from headwater.ids import type_dataset, type_job, type_run
from headwater.show import answers, cards
from headwater.show.graph import tree, way
from headwater.show.words import plain

P = ParamSpec("P")

_INSTRUCTIONS = """\
Headwater knows which jobs read and write which datasets (tables, topics, files), down to columns, how \
their runs went, and what changed when. Use it for questions such as: where does this table come from, who \
breaks if I drop this column, why is this dashboard wrong, what changed since yesterday.

Names may be short ("orders", "orders.price" for a column): the best match is taken and others are named. \
Every answer shows full node ids, e.g. dataset:s3://warehouse:rest/default/orders; pass those on to be exact. \
When you do not know a name, begin with `search`. Times are ISO 8601 in UTC, or how long ago ("2h", "7d").\
"""

_MOST_LETTERS = 20_000  # of text in one answer: enough to reason on, and no flood

Name = Annotated[str, Field(description="A job, dataset or column: short name, `table.column`, or full node id.")]
Limit = Annotated[int, Field(ge=1, le=200, description="How many to show at the most, the most relevant first.")]
Depth = Annotated[int, Field(ge=0, le=100, description="How many jobs away to look.")]
Moment = Annotated[str | None, Field(description="ISO 8601 time in UTC, or how long ago: `2h`, `7d`.")]


def mcp_server(client: Client) -> MCPServer:
    server = MCPServer(
        "headwater",
        title="Headwater lineage",
        instructions=_INSTRUCTIONS,
        version=__version__,
        log_level="WARNING",
    )
    tools = Tools(client)
    for tool in (
        tools.search,
        tools.show,
        tools.lineage,
        tools.column_lineage,
        tools.impact,
        tools.why,
        tools.diff,
        tools.path,
        tools.freshness,
    ):
        hints = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
        server.add_tool(tool, annotations=hints)
    return server


def _told(function: Callable[P, CallToolResult]) -> Callable[P, CallToolResult]:
    """What goes wrong is told to the assistant, which can then ask better."""

    @wraps(function)
    def answer(*args: P.args, **kwargs: P.kwargs) -> CallToolResult:
        try:
            return function(*args, **kwargs)
        except HeadwaterError as e:
            raise ToolError(str(e)) from None

    return answer


class Tools:
    def __init__(self, client: Client) -> None:
        self._client = client

    @_told
    def search(
        self,
        query: Annotated[str, Field(description="Words; the last may be the beginning of one.")],
        kind: Annotated[Literal["job", "dataset"] | None, Field(description="Only jobs or only datasets.")] = None,
        namespace: Annotated[str | None, Field(description="Only in this namespace.")] = None,
        limit: Limit = 10,
    ) -> CallToolResult:
        """Find jobs and datasets by name, column, description, tag, owner or SQL, the best match first.
        Begin here when you do not know the exact name."""
        wanted: Literal["JOB", "DATASET"] | None = None if kind is None else "JOB" if kind == "job" else "DATASET"
        found = self._client.search(query, kind=wanted, namespace=namespace, limit=limit)
        return _result([answers.search(found)], found)

    @_told
    def show(
        self,
        name: Annotated[
            str, Field(description="A job, dataset, column or run: name, `table.column`, node id or run id")
        ],
    ) -> CallToolResult:
        """Show one job (inputs, outputs, owners, latest runs), dataset (columns and what they are made from),
        column, or run (state, times, error, versions read and written)."""
        found = names.find(self._client, name, (*names.NODES, type_run))
        if found.node_id.startswith(f"{type_run}:"):
            run = self._client.run(found.node_id.partition(":")[2])
            return _result([cards.run(run)], run, found, without=("facets",))
        place = names.place_of(self._client, found.node_id)
        if found.node_id.startswith(f"{type_job}:"):
            job = self._client.job(place.namespace, place.name)
            return _result([cards.job(job)], job, found, without=("facets", "latestRun"))
        dataset = self._client.dataset(place.namespace, place.name)
        if place.field is not None:
            return _result([cards.column(dataset, place.field)], dataset, found, without=("facets",))
        return _result([cards.dataset(dataset)], dataset, found, without=("facets",))

    @_told
    def lineage(
        self,
        name: Name,
        direction: Annotated[
            Literal["upstream", "downstream", "both"], Field(description="upstream: what it comes from.")
        ] = "both",
        depth: Depth = 5,
        at: Moment = None,
        limit: Limit = 60,
    ) -> CallToolResult:
        """Where a job or dataset comes from and where it goes: a tree of jobs and datasets, with the state of each
        job's latest run. Give `at` for the graph as it was at an earlier time."""
        found = names.find(self._client, name, (type_dataset, type_job))
        node = names.place_of(self._client, found.node_id).node_id
        graph = self._client.lineage(node, depth=depth, direction=direction, at=_moment(at))
        return _graph(drawing_of(graph, node), direction, limit, found)

    @_told
    def column_lineage(
        self,
        name: Name,
        downstream: Annotated[bool, Field(description="Also where the columns go.")] = False,
        depth: Depth = 5,
        at: Moment = None,
        limit: Limit = 60,
    ) -> CallToolResult:
        """Which columns a column is made from, and with `downstream` which are made from it; of all columns,
        for a dataset. Dashed use (filters, joins, grouping) is marked as indirect in the structured answer."""
        found = names.find(self._client, name)
        node = names.place_of(self._client, found.node_id).node_id
        graph = self._client.column_lineage(node, depth=depth, with_downstream=downstream, at=_moment(at))
        return _graph(drawing_of(graph, node), "both" if downstream else "upstream", limit, found)

    @_told
    def impact(self, name: Name, depth: Depth = 20, at: Moment = None, limit: Limit = 50) -> CallToolResult:
        """Who is hit if this job, dataset or column changes, breaks or goes away: everything downstream by
        distance, with owners, last run, and how a column is used: DIRECT (values are copied or computed),
        INDIRECT (only filters, joins, groups or sorts) or UNKNOWN."""
        found = names.find(self._client, name)
        answer = self._client.impact(found.node_id, depth=depth, limit=limit, at=_moment(at))
        return _result([answers.impact(answer)], answer, found)

    @_told
    def why(
        self,
        name: Annotated[str, Field(description="What looks wrong: dataset, column, job, or the id of a run.")],
        at: Moment = None,
        since: Annotated[str | None, Field(description="When it was still right.")] = None,
        limit: Limit = 10,
    ) -> CallToolResult:
        """Root cause: why data is wrong, stale or missing. Suspects upstream, the likeliest first, each with
        evidence: failed, aborted, stuck or late runs, schema changes, dropped or renamed inputs, statistics
        that jumped. Suspicion is from 0 to 1."""
        found = names.find(self._client, name, (*names.NODES, type_run))
        answer = self._client.why(found.node_id, at=_moment(at), since=_moment(since), limit=limit)
        return _result([answers.why(answer)], answer, found)

    @_told
    def diff(
        self,
        since: Annotated[str, Field(description="The earlier moment: ISO 8601 in UTC, or how long ago: `2h`, `7d`.")],
        until: Annotated[str, Field(description="The later moment.")] = "now",
        around: Annotated[str | None, Field(description="Only around this job or dataset.")] = None,
        limit: Limit = 50,
    ) -> CallToolResult:
        """What changed between two moments: jobs, datasets, edges and column dependencies that came or went,
        and schemas that changed (columns added, removed, retyped)."""
        found = names.find(self._client, around) if around is not None else None
        node = found.node_id if found else None
        answer = self._client.diff(moment(since), moment(until), node_id=node, limit=limit)
        return _result([answers.diff(answer)], answer, found)

    @_told
    def path(
        self,
        origin: Annotated[str, Field(description="Where data begins: name or node id.")],
        destination: Annotated[str, Field(description="Where it ends up.")],
        at: Moment = None,
        limit: Limit = 60,
    ) -> CallToolResult:
        """How data gets from one job, dataset or column to another: all that lies on the ways between them."""
        start, end = names.find(self._client, origin), names.find(self._client, destination)
        node = names.place_of(self._client, start.node_id).node_id
        graph = self._client.path(node, end.node_id, at=_moment(at))
        if not graph.graph:
            return _result([way(drawing_of(graph), node, end.node_id)], _structured(Drawing({}, ()), 0), start, end)
        return _graph(drawing_of(graph, node), "both", limit, start, end)

    @_told
    def freshness(
        self, dataset: Annotated[str, Field(description="A dataset: name or node id.")], at: Moment = None
    ) -> CallToolResult:
        """When a dataset was last written, by which job and run, how often that happens, whether the next write
        is late, and how old its inputs are."""
        found = names.find(self._client, dataset, (type_dataset,))
        answer = self._client.freshness(found.node_id, at=_moment(at))
        return _result([answers.freshness(answer)], answer, found)


def _moment(text: str | None) -> datetime | None:
    return None if text is None else moment(text)


def _graph(drawing: Drawing, direction: str, limit: int, *found: names.Found) -> CallToolResult:
    shown = drawing.nearest(limit)
    parts: list[RenderableType] = [tree(shown, direction)]
    if len(shown.boxes) < len(drawing.boxes):
        parts.append(f"{len(shown.boxes)} of {len(drawing.boxes)} shown, the nearest; ask around another node for more")
    return _result(parts, _structured(shown, len(drawing.boxes)), *found)


def _structured(shown: Drawing, total: int) -> dict[str, Any]:
    return {
        "nodes": [{"id": box.id, "type": box.kind, "state": box.state} for box in shown.boxes.values()],
        "edges": [{"from": a.origin, "to": a.destination, "indirect": a.indirect} for a in shown.arrows],
        "total": total,
    }


def _result(
    parts: list[RenderableType], value: Any, *found: names.Found | None, without: tuple[str, ...] = ()
) -> CallToolResult:
    """Text for reading, and the same for programs."""
    text = plain(*parts)
    if len(text) > _MOST_LETTERS:
        text = f"{text[:_MOST_LETTERS]}\n… cut after {_MOST_LETTERS:,} of {len(text):,} characters; ask for less\n"
    for one in found:
        if one is not None and one.others:
            text = f"{one.node_id} was taken; also possible: {', '.join(one.others[:5])}\n{text}"
    structured = msgspec.to_builtins(value, str_keys=True)
    for key in without:
        structured.pop(key, None)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=structured)
