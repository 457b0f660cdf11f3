"""`headwater show`"""

from headwater.cli.query_options import DEFAULT, QueryOptions, resolve
from headwater.client import catalogue, names
from headwater.ids import type_field, type_job, type_run
from headwater.show import cards


def show(name: str, /, *, options: QueryOptions = DEFAULT) -> None:
    """Show a job, dataset, column or run.

    Parameters
    ----------
    name
        A name or node id; a column as `orders.price`; the id of a run.
    """
    with options.client() as client:
        node = resolve(client, name, (*names.NODES, type_run))
        if node.startswith(f"{type_run}:"):
            options.show(client, catalogue.run(node.partition(":")[2]), cards.run)
            return
        location = names.locate(client, node)
        if node.startswith(f"{type_job}:"):
            options.show(client, catalogue.job(location.namespace, location.name), cards.job)
        elif node.startswith(f"{type_field}:"):
            field = location.field or ""
            request = catalogue.dataset(location.namespace, location.name)
            options.show(client, request, lambda dataset: cards.column(dataset, field))
        else:
            options.show(client, catalogue.dataset(location.namespace, location.name), cards.dataset)
