"""`headwater tail`"""

import msgspec

from headwater.cli import console
from headwater.cli.asking import DEFAULT, Asking, find
from headwater.ids import type_dataset, type_job
from headwater.show import cards


def tail(
    name: str | None = None,
    /,
    *,
    namespace: str | None = None,
    after: int | None = None,
    asking: Asking = DEFAULT,
) -> None:
    """Follow what happens, live, until Ctrl-C. Goes on by itself when the server comes back.

    Parameters
    ----------
    name
        Only what concerns the graph around this job or dataset.
    namespace
        Only what concerns this namespace.
    after
        Begin behind this position of the log instead of with now, if the server still has the changes since.
    """
    with asking.client() as client:
        node = find(client, name, (type_job, type_dataset)) if name is not None else None
        with client.live(after=after, namespace=namespace, node_id=node) as changes:
            for change in changes:
                if asking.json:
                    console.write(msgspec.json.encode(change) + b"\n")
                else:
                    console.show(cards.live(change))
