"""`headwater why`"""

from headwater.cli.query_options import DEFAULT, QueryOptions, Time, resolve
from headwater.client import names, queries
from headwater.ids import type_run
from headwater.show import results


def why(
    name: str,
    /,
    *,
    at: Time | None = None,
    since: Time | None = None,
    limit: int = 10,
    depth: int | None = None,
    options: QueryOptions = DEFAULT,
) -> None:
    """Find the root cause of wrong or missing data: suspects upstream, the likeliest first.

    Parameters
    ----------
    name
        A name or node id; a column as `orders.price`; the id of a run.
    at
        When it was wrong: a time, or how long ago (`2h`); now by default.
    since
        When it was still right; earlier changes are not suspected.
    limit
        How many suspects to show.
    depth
        How many jobs upstream to look.
    """
    with options.client() as client:
        node = resolve(client, name, (*names.NODES, type_run))
        options.show(client, queries.why(node, at=at, since=since, limit=limit, depth=depth), results.why)
