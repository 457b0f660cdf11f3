"""`headwater runs`"""

from headwater.cli import names
from headwater.cli.asking import DEFAULT, Asking
from headwater.client import calls
from headwater.ids import type_job
from headwater.show import cards


def runs(job: str, /, *, limit: int = 20, asking: Asking = DEFAULT) -> None:
    """Show the runs of a job, the latest first.

    Parameters
    ----------
    job
        A job's name or node id.
    limit
        How many to show.
    """
    with asking.client() as client:
        place = names.place_of(client, names.find(client, job, (type_job,)))
        asking.show(client, calls.runs_page(place.namespace, place.name, limit=limit), cards.runs)
