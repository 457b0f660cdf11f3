"""`headwater lineage`"""

from typing import Literal

from headwater.cli import console, names
from headwater.cli.asking import DEFAULT, Asking, Flag, When
from headwater.client import calls
from headwater.client.call import Call
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
    at: When | None = None,
    since: When | None = None,
    until: When | None = None,
    format: Format = "tree",  # noqa: A002
    asking: Asking = DEFAULT,
) -> None:
    """Show where a job, dataset or column comes from and where it goes.

    Parameters
    ----------
    name
        A name or node id; a column as `orders.price`.
    direction
        Which way to look; `connected` also shows what shares an input or output.
    depth
        How many jobs away.
    columns
        Columns instead of jobs and datasets.
    at
        The graph as it was then: a time, or how long ago (`2h`, `7d`).
    since
        Only what was seen after this.
    until
        Only what was seen before this.
    format
        A tree for reading, or text for other programs.
    """
    with asking.client() as client:
        found = names.place_of(client, names.find(client, name)).node_id
        call = graph_call(found, direction, depth, columns=columns, at=at, since=since, until=until)
        answer = client.ask(call)
        if asking.json or format == "json":
            console.write(answer.body + b"\n")
        elif format == "tree":
            console.show(tree(answer.value, found, direction))
        else:
            console.write(drawn(answer.value, found, direction, format))


def graph_call(
    node_id: str,
    direction: Direction,
    depth: int,
    *,
    columns: bool = False,
    at: When | None = None,
    since: When | None = None,
    until: When | None = None,
) -> Call[Graph]:
    if columns or node_id.startswith(f"{type_field}:"):
        return calls.column_lineage(
            node_id, depth=depth, with_downstream=direction != "upstream", at=at, since=since, until=until
        )
    return calls.lineage(node_id, depth=depth, direction=direction, at=at, since=since, until=until)


def drawn(graph: Graph, focus: str | None, direction: str, format: str) -> str:  # noqa: A002
    drawing = drawing_of(graph, focus)
    if direction == "downstream":
        drawing = drawing.downstream()  # columns are always asked for with what is upstream
    return _FORMATS[format](drawing)


_FORMATS = {"dot": dot, "mermaid": mermaid, "svg": svg}
