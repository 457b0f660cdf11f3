"""`headwater freshness`"""

import sys

from headwater.cli import console, names
from headwater.cli.asking import DEFAULT, Asking, Flag, When
from headwater.cli.exits import FOUND
from headwater.client import calls
from headwater.ids import type_dataset
from headwater.show import answers


def freshness(
    dataset: str,
    /,
    *,
    at: When | None = None,
    fail_on_late: Flag = False,
    asking: Asking = DEFAULT,
) -> None:
    """Show when a dataset was last written, by whom, and whether it is late.

    Parameters
    ----------
    dataset
        A dataset's name or node id.
    at
        As it was then: a time, or how long ago (`2h`).
    fail_on_late
        End with 3 when the dataset is late.
    """
    with asking.client() as client:
        answer = client.ask(calls.freshness(names.find(client, dataset, (type_dataset,)), at=at))
        value = answer.value
        if asking.json:
            console.write(answer.body + b"\n")
        else:
            console.show(answers.freshness(value))
        if fail_on_late and value.late:
            sys.exit(FOUND)
