"""`headwater runs`"""

from headwater.cli.asking import DEFAULT, Asking, find
from headwater.client import catalogue, names
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
        place = names.place_of(client, find(client, job, (type_job,)))
        asking.show(client, catalogue.runs(place.namespace, place.name).page(0, limit), cards.runs)
