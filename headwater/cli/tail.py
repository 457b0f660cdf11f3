"""`headwater tail`"""

import msgspec

from headwater.cli import console
from headwater.cli.query_options import DEFAULT, QueryOptions, resolve
from headwater.ids import type_dataset, type_job
from headwater.show import cards


def tail(
    name: str | None = None,
    /,
    *,
    namespace: str | None = None,
    after: int | None = None,
    options: QueryOptions = DEFAULT,
) -> None:
    """Follow live updates until Ctrl-C. Reconnects when the server comes back.

    Parameters
    ----------
    name
        Only updates about the graph around this job or dataset.
    namespace
        Only updates about this namespace.
    after
        Start after this position of the log instead of now, if the server still has the updates since then.
    """
    with options.client() as client:
        node = resolve(client, name, (type_job, type_dataset)) if name is not None else None
        with client.live(after=after, namespace=namespace, node_id=node) as updates:
            for update in updates:
                if options.json:
                    console.write(msgspec.json.encode(update) + b"\n")
                else:
                    console.show(cards.live(update))
