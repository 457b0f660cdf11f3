"""`headwater gaps`"""

from typing import Literal

from rich.console import Group, RenderableType

from headwater.cli import console
from headwater.cli.query_options import DEFAULT, QueryOptions
from headwater.client import queries
from headwater.client.queries import GapKind
from headwater.show import results

_KINDS: dict[str, tuple[GapKind, ...]] = {
    "owner": ("jobsWithoutOwner",),
    "producer": ("datasetsWithoutProducer",),
    "consumer": ("datasetsWithoutConsumer",),
    "any": ("jobsWithoutOwner", "datasetsWithoutProducer", "datasetsWithoutConsumer"),
}


def gaps(
    missing: Literal["owner", "producer", "consumer", "any"] = "any",
    /,
    *,
    namespace: str | None = None,
    limit: int = 20,
    options: QueryOptions = DEFAULT,
) -> None:
    """Show jobs without owner, and datasets without producer or consumer.

    Parameters
    ----------
    missing
        Jobs without `owner`, datasets without `producer` or without `consumer`, or `any` of these; with --json,
        `any` prints one JSON object per line.
    namespace
        Only in this namespace.
    limit
        How many of each kind to show.
    """
    with options.client() as client:
        answers = [client.ask(queries.gaps(kind, namespace=namespace, limit=limit)) for kind in _KINDS[missing]]
    if options.json:
        console.write(b"".join(answer.body + b"\n" for answer in answers))
        return
    parts: list[RenderableType] = []
    for answer in answers:
        parts += ["", results.gaps(answer.value)] if parts else [results.gaps(answer.value)]
    console.show(Group(*parts))
