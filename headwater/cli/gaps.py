"""`headwater gaps`"""

from typing import Literal, get_args

from rich.console import Group, RenderableType

from headwater.cli import console
from headwater.cli.asking import DEFAULT, Asking
from headwater.client import calls
from headwater.client.calls import GapKind
from headwater.show import answers


def gaps(
    kind: Literal["all"] | GapKind = "all",
    /,
    *,
    namespace: str | None = None,
    limit: int = 20,
    asking: Asking = DEFAULT,
) -> None:
    """Show what nobody looks after: jobs without owner, datasets without producer or consumer.

    Parameters
    ----------
    kind
        Which gaps; with --json, `all` gives one JSON object a line.
    namespace
        Only in this namespace.
    limit
        How many of each kind to show.
    """
    kinds: tuple[GapKind, ...] = get_args(GapKind) if kind == "all" else (kind,)
    with asking.client() as client:
        found = [client.ask(calls.gaps(one, namespace=namespace, limit=limit)) for one in kinds]
    if asking.json:
        console.write(b"".join(answer.body + b"\n" for answer in found))
        return
    parts: list[RenderableType] = []
    for answer in found:
        parts += ["", answers.gaps(answer.value)] if parts else [answers.gaps(answer.value)]
    console.show(Group(*parts))
