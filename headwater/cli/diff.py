"""`headwater diff`"""

from headwater.cli.query_options import DEFAULT, QueryOptions, Time, resolve
from headwater.client import queries
from headwater.client.times import parse_time
from headwater.show import results


def diff(
    since: Time,
    until: Time | None = None,
    /,
    *,
    around: str | None = None,
    depth: int | None = None,
    limit: int | None = None,
    options: QueryOptions = DEFAULT,
) -> None:
    """Show what changed between two times: nodes, edges, columns and schemas.

    Parameters
    ----------
    since
        A time, or how long ago: `2026-11-10T09:00Z`, `2h`, `7d`.
    until
        The later time; now by default.
    around
        Only around this job or dataset.
    depth
        How many jobs away from it to look.
    limit
        How many changes of each kind to show.
    """
    with options.client() as client:
        node = resolve(client, around) if around is not None else None
        request = queries.diff(since, until or parse_time("now"), node_id=node, depth=depth, limit=limit)
        options.show(client, request, results.diff)
