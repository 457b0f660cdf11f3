"""`headwater path`"""

from headwater.cli.query_options import DEFAULT, QueryOptions, Time, resolve
from headwater.client import names, queries
from headwater.draw.drawing import drawing_of
from headwater.show.graph import path as path_tree


def path(origin: str, destination: str, /, *, at: Time | None = None, options: QueryOptions = DEFAULT) -> None:
    """Show how data gets from one node to another, with everything in between.

    Parameters
    ----------
    origin
        Where it starts: a name or node id.
    destination
        Where it ends.
    at
        The graph at this time: a time, or how long ago (`2h`, `7d`).
    """
    with options.client() as client:
        start = names.locate(client, resolve(client, origin)).node_id
        end = resolve(client, destination)
        request = queries.path_between(start, end, at=at)
        options.show(client, request, lambda graph: path_tree(drawing_of(graph, start), start, end))
