"""`headwater diff`"""

from headwater.cli import names
from headwater.cli.asking import DEFAULT, Asking, When, moment
from headwater.client import calls
from headwater.show import answers


def diff(
    since: When,
    until: When | None = None,
    /,
    *,
    around: str | None = None,
    depth: int | None = None,
    limit: int | None = None,
    asking: Asking = DEFAULT,
) -> None:
    """Show what changed between two moments: nodes, edges, columns and schemas.

    Parameters
    ----------
    since
        A time, or how long ago: `2026-11-10T09:00Z`, `2h`, `7d`.
    until
        The later one; now, when left out.
    around
        Only around this job or dataset.
    depth
        How many jobs away from it.
    limit
        How many changes to show.
    """
    with asking.client() as client:
        node = names.find(client, around) if around is not None else None
        call = calls.diff(since, until or moment("now"), node_id=node, depth=depth, limit=limit)
        asking.show(client, call, answers.diff)
