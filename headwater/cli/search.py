"""`headwater search`"""

from typing import Literal

from headwater.cli.query_options import DEFAULT, QueryOptions
from headwater.client import queries
from headwater.show import results


def search(
    *words: str,
    kind: Literal["job", "dataset"] | None = None,
    namespace: str | None = None,
    limit: int = 20,
    options: QueryOptions = DEFAULT,
) -> None:
    """Find jobs and datasets by name, column, description, tag, owner or SQL.

    Parameters
    ----------
    words
        What to look for; the last word may be incomplete.
    kind
        Only jobs, or only datasets.
    namespace
        Only in this namespace.
    limit
        How many to show.
    """
    node_type: Literal["JOB", "DATASET"] | None = None if kind is None else "JOB" if kind == "job" else "DATASET"
    with options.client() as client:
        request = queries.search(" ".join(words), kind=node_type, namespace=namespace, limit=limit)
        options.show(client, request, results.search)
