"""The MCP server: a small set of tools, each one question to a Headwater server.

Tools are plain functions that the library runs on its own threads; they share one client.
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
from headwater.client.times import parse_time
from headwater.draw.drawing import Drawing, drawing_of
from headwater.errors import HeadwaterError
from headwater.ids import type_dataset, type_job, type_run
from headwater.show import cards, results
from headwater.show.format import plain
from headwater.show.graph import path, tree

P = ParamSpec("P")

_INSTRUCTIONS = """\
Headwater knows which jobs read and write which datasets (tables, topics, files), down to columns, how \
their runs went, and what changed when. Use it for questions such as: where does this table come from, who \
breaks if I drop this column, why is this dashboard wrong, what changed since yesterday.

Names may be short ("orders", "orders.price" for a column): the best match is used and the others are listed. \
Every answer has full node ids, e.g. dataset:s3://warehouse:rest/default/orders; pass those to be exact. \
If you do not know a name, start with `search`. Times are ISO 8601 in UTC, or how long ago ("2h", "7d").\
"""

_MOST_CHARACTERS = 20_000  # of text in one answer, so that it does not fill the context

Name = Annotated[str, Field(description="A job, dataset or column: short name, `table.column`, or full node id.")]
Limit = Annotated[int, Field(ge=1, le=200, description="At most so many, the most relevant first.")]
Depth = Annotated[int, Field(ge=0, le=100, description="How many jobs away to look.")]
Time = Annotated[str | None, Field(description="ISO 8601 time in UTC, or how long ago: `2h`, `7d`.")]


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


def _with_tool_errors(function: Callable[P, CallToolResult]) -> Callable[P, CallToolResult]:
    """Errors go to the assistant as text, so that it can correct its call."""

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

    @_with_tool_errors
    def search(
        self,
        query: Annotated[str, Field(description="Words; the last one may be incomplete.")],
        kind: Annotated[Literal["job", "dataset"] | None, Field(description="Only jobs or only datasets.")] = None,
        namespace: Annotated[str | None, Field(description="Only in this namespace.")] = None,
        limit: Limit = 10,
    ) -> CallToolResult:
        """Find jobs and datasets by name, column, description, tag, owner or SQL, the best match first.
        Start here if you do not know the exact name."""
        node_type: Literal["JOB", "DATASET"] | None = None if kind is None else "JOB" if kind == "job" else "DATASET"
        answer = self._client.search(query, kind=node_type, namespace=namespace, limit=limit)
        return _result([results.search(answer)], answer)

    @_with_tool_errors
    def show(
        self,
        name: Annotated[
            str, Field(description="A job, dataset, column or run: name, `table.column`, node id or run id")
        ],
    ) -> CallToolResult:
        """Show one job (inputs, outputs, owners, latest runs), dataset (columns and what they are made from),
        column, or run (state, times, error, versions read and written)."""
        match = names.resolve(self._client, name, (*names.NODES, type_run))
        if match.node_id.startswith(f"{type_run}:"):
            run = self._client.run(match.node_id.partition(":")[2])
            return _result([cards.run(run)], run, match, without=("facets",))
        location = names.locate(self._client, match.node_id)
        if match.node_id.startswith(f"{type_job}:"):
            job = self._client.job(location.namespace, location.name)
            return _result([cards.job(job)], job, match, without=("facets", "latestRun"))
        dataset = self._client.dataset(location.namespace, location.name)
        if location.field is not None:
            return _result([cards.column(dataset, location.field)], dataset, match, without=("facets",))
        return _result([cards.dataset(dataset)], dataset, match, without=("facets",))

    @_with_tool_errors
    def lineage(
        self,
        name: Name,
        direction: Annotated[
            Literal["upstream", "downstream", "both"], Field(description="upstream: what it comes from.")
        ] = "both",
        depth: Depth = 5,
        at: Time = None,
        limit: Limit = 60,
    ) -> CallToolResult:
        """Where a job or dataset comes from and where it goes: a tree of jobs and datasets, with the state of each
        job's latest run. Give `at` for the graph as it was at an earlier time."""
        match = names.resolve(self._client, name, (type_dataset, type_job))
        node = names.locate(self._client, match.node_id).node_id
        graph = self._client.lineage(node, depth=depth, direction=direction, at=_time(at))
        return _graph(drawing_of(graph, node), direction, limit, match)

    @_with_tool_errors
    def column_lineage(
        self,
        name: Name,
        downstream: Annotated[bool, Field(description="Also show where the columns go.")] = False,
        depth: Depth = 5,
        at: Time = None,
        limit: Limit = 60,
    ) -> CallToolResult:
        """Which columns a column is made from, and with `downstream` which are made from it; for a dataset, of all its
        columns. Indirect use (filters, joins, grouping) is marked in the structured answer."""
        match = names.resolve(self._client, name)
        node = names.locate(self._client, match.node_id).node_id
        graph = self._client.column_lineage(node, depth=depth, with_downstream=downstream, at=_time(at))
        return _graph(drawing_of(graph, node), "both" if downstream else "upstream", limit, match)

    @_with_tool_errors
    def impact(self, name: Name, depth: Depth = 20, at: Time = None, limit: Limit = 50) -> CallToolResult:
        """What is affected if this job, dataset or column changes, breaks or goes away: everything downstream by
        distance, with owners, last run, and how a column is used: DIRECT (values are copied or computed),
        INDIRECT (only filters, joins, groups or sorts) or UNKNOWN."""
        match = names.resolve(self._client, name)
        answer = self._client.impact(match.node_id, depth=depth, limit=limit, at=_time(at))
        return _result([results.impact(answer)], answer, match)

    @_with_tool_errors
    def why(
        self,
        name: Annotated[str, Field(description="What looks wrong: dataset, column, job, or the id of a run.")],
        at: Time = None,
        since: Annotated[str | None, Field(description="When it was still right.")] = None,
        limit: Limit = 10,
    ) -> CallToolResult:
        """Root cause: why data is wrong, stale or missing. Suspects upstream, the likeliest first, each with
        evidence: failed, aborted, stuck or late runs, schema changes, dropped or renamed inputs, statistics
        that jumped. Suspicion is from 0 to 1."""
        match = names.resolve(self._client, name, (*names.NODES, type_run))
        answer = self._client.why(match.node_id, at=_time(at), since=_time(since), limit=limit)
        return _result([results.why(answer)], answer, match)

    @_with_tool_errors
    def diff(
        self,
        since: Annotated[str, Field(description="The earlier time: ISO 8601 in UTC, or how long ago: `2h`, `7d`.")],
        until: Annotated[str, Field(description="The later time.")] = "now",
        around: Annotated[str | None, Field(description="Only around this job or dataset.")] = None,
        limit: Limit = 50,
    ) -> CallToolResult:
        """What changed between two times: jobs, datasets, edges and column dependencies that were added or removed,
        and schemas that changed (columns added, removed, retyped)."""
        match = names.resolve(self._client, around) if around is not None else None
        node = match.node_id if match else None
        answer = self._client.diff(parse_time(since), parse_time(until), node_id=node, limit=limit)
        return _result([results.diff(answer)], answer, match)

    @_with_tool_errors
    def path(
        self,
        origin: Annotated[str, Field(description="Where data starts: name or node id.")],
        destination: Annotated[str, Field(description="Where it ends up.")],
        at: Time = None,
        limit: Limit = 60,
    ) -> CallToolResult:
        """How data gets from one job, dataset or column to another: everything on the paths between them."""
        start, end = names.resolve(self._client, origin), names.resolve(self._client, destination)
        node = names.locate(self._client, start.node_id).node_id
        graph = self._client.path(node, end.node_id, at=_time(at))
        if not graph.graph:
            return _result([path(drawing_of(graph), node, end.node_id)], _structured(Drawing({}, ()), 0), start, end)
        return _graph(drawing_of(graph, node), "both", limit, start, end)

    @_with_tool_errors
    def freshness(
        self, dataset: Annotated[str, Field(description="A dataset: name or node id.")], at: Time = None
    ) -> CallToolResult:
        """When a dataset was last written, by which job and run, how often that happens, whether the next write
        is late, and how old its inputs are."""
        match = names.resolve(self._client, dataset, (type_dataset,))
        answer = self._client.freshness(match.node_id, at=_time(at))
        return _result([results.freshness(answer)], answer, match)


def _time(text: str | None) -> datetime | None:
    return None if text is None else parse_time(text)


def _graph(drawing: Drawing, direction: str, limit: int, *matches: names.Match) -> CallToolResult:
    shown = drawing.nearest(limit)
    parts: list[RenderableType] = [tree(shown, direction)]
    if len(shown.boxes) < len(drawing.boxes):
        parts.append(f"the nearest {len(shown.boxes)} of {len(drawing.boxes)} shown; ask about another node for more")
    return _result(parts, _structured(shown, len(drawing.boxes)), *matches)


def _structured(shown: Drawing, total: int) -> dict[str, Any]:
    return {
        "nodes": [{"id": box.id, "type": box.kind, "state": box.state} for box in shown.boxes.values()],
        "edges": [{"from": a.origin, "to": a.destination, "indirect": a.indirect} for a in shown.arrows],
        "total": total,
    }


def _result(
    parts: list[RenderableType], value: Any, *matches: names.Match | None, without: tuple[str, ...] = ()
) -> CallToolResult:
    """Text to read, and the same as structured content."""
    text = plain(*parts)
    if len(text) > _MOST_CHARACTERS:
        text = (
            f"{text[:_MOST_CHARACTERS]}\n… cut after {_MOST_CHARACTERS:,} of {len(text):,} characters; ask for less\n"
        )
    for match in matches:
        if match is not None and match.others:
            text = f"using {match.node_id}; also matches {', '.join(match.others[:5])}\n{text}"
    structured = msgspec.to_builtins(value, str_keys=True)
    for key in without:
        structured.pop(key, None)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=structured)
