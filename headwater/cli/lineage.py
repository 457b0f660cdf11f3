"""`headwater lineage`"""

from typing import Literal

from headwater.cli import console
from headwater.cli.query_options import DEFAULT, Flag, QueryOptions, Time, resolve
from headwater.client import names, queries
from headwater.client.request import Request
from headwater.draw.drawing import drawing_of
from headwater.draw.svg import svg
from headwater.draw.text import dot, mermaid
from headwater.ids import type_field
from headwater.shapes.marquez import Graph
from headwater.show.graph import tree

Format = Literal["tree", "json", "dot", "mermaid", "svg"]
Direction = Literal["upstream", "downstream", "both", "connected"]


def lineage(
    name: str,
    /,
    *,
    direction: Direction = "both",
    depth: int = 20,
    columns: Flag = False,
    at: Time | None = None,
    since: Time | None = None,
    until: Time | None = None,
    format: Format = "tree",  # noqa: A002
    options: QueryOptions = DEFAULT,
) -> None:
    """Show where a job, dataset or column comes from and where it goes.

    Parameters
    ----------
    name
        A name or node id; a column as `orders.price`.
    direction
        `connected` also shows nodes that share an input or output.
    depth
        How many jobs away to look.
    columns
        Show columns instead of jobs and datasets.
    at
        The graph at this time: a time, or how long ago (`2h`, `7d`).
    since
        Only what was reported after this time.
    until
        Only what was reported before this time.
    format
        A tree to read, or text for other programs.
    """
    with options.client() as client:
        node = names.locate(client, resolve(client, name)).node_id
        request = graph_request(node, direction, depth, columns=columns, at=at, since=since, until=until)
        answer = client.ask(request)
        if options.json or format == "json":
            console.write(answer.body + b"\n")
        elif format == "tree":
            console.show(tree(drawing_of(answer.value, node), direction))
        else:
            console.write(draw(answer.value, node, direction, format))


def graph_request(
    node_id: str,
    direction: Direction,
    depth: int,
    *,
    columns: bool = False,
    at: Time | None = None,
    since: Time | None = None,
    until: Time | None = None,
) -> Request[Graph]:
    if columns or node_id.startswith(f"{type_field}:"):
        return queries.column_lineage(
            node_id, depth=depth, with_downstream=direction != "upstream", at=at, since=since, until=until
        )
    return queries.lineage(node_id, depth=depth, direction=direction, at=at, since=since, until=until)


def draw(graph: Graph, focus: str | None, direction: str, format: str) -> str:  # noqa: A002
    drawing = drawing_of(graph, focus)
    if direction == "downstream":
        drawing = drawing.downstream()  # the API always includes what is upstream of columns
    return _FORMATS[format](drawing)


_FORMATS = {"dot": dot, "mermaid": mermaid, "svg": svg}
