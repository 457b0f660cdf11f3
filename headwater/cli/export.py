"""`headwater export`"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated, Literal

import msgspec
from cyclopts import App, Parameter

from headwater.cli import console
from headwater.cli.lineage import Direction, draw, graph_request
from headwater.cli.query_options import Flag, Time, Url, resolve
from headwater.client import Client, names, queries
from headwater.defaults import DEFAULT_URL
from headwater.errors import BadRequest
from headwater.ids import dataset_node_id, job_node_id
from headwater.shapes.marquez import Graph, GraphEdge, GraphNode

_PER_PAGE = 500
_FORMATS = {".json": "json", ".dot": "dot", ".gv": "dot", ".mmd": "mermaid", ".md": "mermaid", ".svg": "svg"}

export = App(name="export", help="Write events or a lineage graph to a file.")


@export.command
def events(
    file: Path | None = None, /, *, after: Time | None = None, before: Time | None = None, url: Url = DEFAULT_URL
) -> None:
    """Write the events as they were sent, one per line, ordered by time.

    `headwater send` sends them to another server.

    Parameters
    ----------
    file
        The file to write; standard output by default.
    after
        Only events after this: a time, or how long ago (`2h`, `7d`).
    before
        Only events before this time.
    """
    written = 0
    with Client(url) as client, _opened(file) as out, console.progress_bar("Exporting events") as report:
        while True:
            page = client.ask(queries.events_page(after=after, before=before, limit=_PER_PAGE, offset=written)).value
            if not page.events:
                break
            out.write(b"".join(_line(bytes(event)) for event in page.events))
            written += len(page.events)
            report(written, page.totalCount)
    console.note(f"{written} events written")


def _line(event: bytes) -> bytes:
    """An event may have been sent over several lines. Outside of strings, JSON does not need its line breaks."""
    return event.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"


@export.command
def graph(
    name: str | None = None,
    /,
    *,
    output: Annotated[Path | None, Parameter(name=("--output", "-o"))] = None,
    format: Literal["json", "dot", "mermaid", "svg"] | None = None,  # noqa: A002
    direction: Direction = "connected",
    depth: int = 20,
    columns: Flag = False,
    at: Time | None = None,
    url: Url = DEFAULT_URL,
) -> None:
    """Write a lineage graph as JSON, DOT, Mermaid or SVG.

    Parameters
    ----------
    name
        The job, dataset or column in the middle; all jobs and datasets by default.
    output
        The file to write; standard output by default.
    format
        By default from the file name, else JSON.
    direction
        `connected` also shows nodes that share an input or output.
    depth
        How many jobs away to look.
    columns
        Show columns instead of jobs and datasets.
    at
        The graph at this time: a time, or how long ago (`2h`, `7d`).
    """
    chosen = format or _FORMATS.get(output.suffix if output else "", "json")
    with Client(url) as client:
        if name is None:
            if columns or at is not None:
                raise BadRequest("--columns and --at need a NAME")
            focus, lineage = None, whole_graph(client)
            body = msgspec.json.encode(lineage)
        else:
            focus = names.locate(client, resolve(client, name)).node_id
            answer = client.ask(graph_request(focus, direction, depth, columns=columns, at=at))
            lineage, body = answer.value, answer.body
    with _opened(output) as out:
        out.write(body + b"\n" if chosen == "json" else draw(lineage, focus, direction, chosen).encode())


def whole_graph(client: Client) -> Graph:
    """All jobs, and the datasets that they read and write."""
    jobs: list[GraphNode] = []
    datasets: dict[str, GraphNode] = {}

    def dataset(namespace: str, name: str) -> GraphNode:
        node_id = dataset_node_id(namespace, name)
        data = {"namespace": namespace, "name": name}
        return datasets.setdefault(node_id, GraphNode(node_id, "DATASET", data, [], []))

    for job in client.jobs():
        node = GraphNode(job_node_id(job.namespace, job.name), "JOB", msgspec.to_builtins(job), [], [])
        jobs.append(node)
        for read in (dataset(n.namespace, n.name) for n in job.inputs):
            edge = GraphEdge(read.id, node.id)
            read.outEdges.append(edge)
            node.inEdges.append(edge)
        for written in (dataset(n.namespace, n.name) for n in job.outputs):
            edge = GraphEdge(node.id, written.id)
            node.outEdges.append(edge)
            written.inEdges.append(edge)
    return Graph([*datasets.values(), *jobs])


@contextmanager
def _opened(file: Path | None) -> Iterator[IO[bytes]]:
    if file is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        with file.open("wb") as opened:
            yield opened
    except OSError as e:
        raise BadRequest(f"cannot write {file}: {e.strerror}") from None
