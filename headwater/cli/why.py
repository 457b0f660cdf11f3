"""`headwater why`"""

from headwater.cli import names
from headwater.cli.asking import DEFAULT, Asking, When
from headwater.client import calls
from headwater.ids import type_run
from headwater.show import answers


def why(
    name: str,
    /,
    *,
    at: When | None = None,
    since: When | None = None,
    limit: int = 10,
    depth: int | None = None,
    asking: Asking = DEFAULT,
) -> None:
    """Find out why a dataset, column, job or run is wrong: suspects upstream, the likeliest first.

    Parameters
    ----------
    name
        A name or node id; a column as `orders.price`; the id of a run.
    at
        When it was wrong: a time, or how long ago (`2h`); now, when left out.
    since
        When it was still right; changes before that are not suspected.
    limit
        How many suspects to show.
    depth
        How many jobs upstream to look.
    """
    with asking.client() as client:
        found = names.find(client, name, (*names.NODES, type_run))
        asking.show(client, calls.why(found, at=at, since=since, limit=limit, depth=depth), answers.why)
