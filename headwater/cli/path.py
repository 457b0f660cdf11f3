"""`headwater path`"""

from headwater.cli import names
from headwater.cli.asking import DEFAULT, Asking, When
from headwater.client import calls
from headwater.show.graph import way


def path(origin: str, destination: str, /, *, at: When | None = None, asking: Asking = DEFAULT) -> None:
    """Show how data gets from one node to another.

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
        start = names.place_of(client, names.find(client, origin)).node_id
        end = names.find(client, destination)
        asking.show(client, calls.path_between(start, end, at=at), lambda graph: way(graph, start))
