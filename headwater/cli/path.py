"""`headwater path`"""

from headwater.cli.asking import DEFAULT, Asking, When, find
from headwater.client import calls, names
from headwater.draw.drawing import drawing_of
from headwater.show.graph import way


def path(origin: str, destination: str, /, *, at: When | None = None, asking: Asking = DEFAULT) -> None:
    """Show how data gets from one node to another: all that lies between them.

    Parameters
    ----------
    origin
        Where it begins: a name or node id.
    destination
        Where it ends.
    at
        The graph as it was then: a time, or how long ago (`2h`, `7d`).
    """
    with asking.client() as client:
        start = names.place_of(client, find(client, origin)).node_id
        end = find(client, destination)
        call = calls.path_between(start, end, at=at)
        asking.show(client, call, lambda graph: way(drawing_of(graph, start), start, end))
