"""`headwater search`"""

from typing import Literal

from headwater.cli.asking import DEFAULT, Asking
from headwater.client import calls
from headwater.show import answers


def search(
    *words: str,
    kind: Literal["job", "dataset"] | None = None,
    namespace: str | None = None,
    limit: int = 20,
    asking: Asking = DEFAULT,
) -> None:
    """Find jobs and datasets by name, column, description, tag, owner or SQL.

    Parameters
    ----------
    words
        What to look for; the last word may be the beginning of one.
    kind
        Only jobs, or only datasets.
    namespace
        Only in this namespace.
    limit
        How many to show.
    """
    wanted: Literal["JOB", "DATASET"] | None = None if kind is None else "JOB" if kind == "job" else "DATASET"
    with asking.client() as client:
        call = calls.search(" ".join(words), kind=wanted, namespace=namespace, limit=limit)
        asking.show(client, call, answers.search)
