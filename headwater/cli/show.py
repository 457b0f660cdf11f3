"""`headwater show`"""

from headwater.cli.asking import DEFAULT, Asking, find
from headwater.client import catalogue, names
from headwater.ids import type_field, type_job, type_run
from headwater.show import cards


def show(name: str, /, *, asking: Asking = DEFAULT) -> None:
    """Show a job, dataset, column or run.

    Parameters
    ----------
    name
        A name or node id; a column as `orders.price`; the id of a run.
    """
    with asking.client() as client:
        found = find(client, name, (*names.NODES, type_run))
        if found.startswith(f"{type_run}:"):
            asking.show(client, catalogue.run(found.partition(":")[2]), cards.run)
            return
        place = names.place_of(client, found)
        if found.startswith(f"{type_job}:"):
            asking.show(client, catalogue.job(place.namespace, place.name), cards.job)
        elif found.startswith(f"{type_field}:"):
            field = place.field or ""
            call = catalogue.dataset(place.namespace, place.name)
            asking.show(client, call, lambda dataset: cards.column(dataset, field))
        else:
            asking.show(client, catalogue.dataset(place.namespace, place.name), cards.dataset)
