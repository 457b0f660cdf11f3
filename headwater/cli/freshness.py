"""`headwater freshness`"""

import sys

from headwater.cli import console
from headwater.cli.exits import CHECK_FAILED
from headwater.cli.query_options import DEFAULT, Flag, QueryOptions, Time, resolve
from headwater.client import queries
from headwater.ids import type_dataset
from headwater.show import results


def freshness(
    dataset: str,
    /,
    *,
    at: Time | None = None,
    fail_on_late: Flag = False,
    options: QueryOptions = DEFAULT,
) -> None:
    """Show when a dataset was last written, by which job, and whether it is late.

    Parameters
    ----------
    dataset
        A dataset's name or node id.
    at
        At this time instead of now: a time, or how long ago (`2h`).
    fail_on_late
        Exit with code 3 if the dataset is late.
    """
    with options.client() as client:
        answer = client.ask(queries.freshness(resolve(client, dataset, (type_dataset,)), at=at))
        value = answer.value
        if options.json:
            console.write(answer.body + b"\n")
        else:
            console.show(results.freshness(value))
        if fail_on_late and value.late:
            sys.exit(CHECK_FAILED)
