"""`headwater gaps`"""

from typing import Literal

from rich.console import Group, RenderableType

from headwater.cli import console
from headwater.cli.asking import DEFAULT, Asking
from headwater.client import calls
from headwater.client.calls import GapKind
from headwater.show import answers

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
    asking: Asking = DEFAULT,
) -> None:
    """Show what nobody looks after: jobs without owner, datasets without producer or consumer.

    Parameters
    ----------
    missing
        Jobs without `owner`, datasets without `producer` or without `consumer`, or `any` of these; with --json,
        `any` gives one JSON object a line.
    namespace
        Only in this namespace.
    limit
        How many of each kind to show.
    """
    with asking.client() as client:
        found = [client.ask(calls.gaps(kind, namespace=namespace, limit=limit)) for kind in _KINDS[missing]]
    if asking.json:
        console.write(b"".join(answer.body + b"\n" for answer in found))
        return
    parts: list[RenderableType] = []
    for answer in found:
        parts += ["", answers.gaps(answer.value)] if parts else [answers.gaps(answer.value)]
    console.show(Group(*parts))
