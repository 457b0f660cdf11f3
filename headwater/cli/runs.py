"""`headwater runs`"""

from headwater.cli.query_options import DEFAULT, QueryOptions, resolve
from headwater.client import catalogue, names
from headwater.ids import type_job
from headwater.show import cards


def runs(job: str, /, *, limit: int = 20, options: QueryOptions = DEFAULT) -> None:
    """Show the runs of a job, the latest first.

    Parameters
    ----------
    job
        A job's name or node id.
    limit
        How many to show.
    """
    with options.client() as client:
        location = names.locate(client, resolve(client, job, (type_job,)))
        options.show(client, catalogue.runs(location.namespace, location.name).page(0, limit), cards.runs)
