"""Event → changes. Pure: the same event always means the same, whatever is known already. Known facets only save
decoding."""

from headwater.interpret import datasets, lineage, runs
from headwater.interpret.known_facets import KnownFacets
from headwater.model.changes import AnyChange
from headwater.openlineage.event import Event


def interpret(event: Event, known: KnownFacets) -> list[AnyChange]:
    """Everything that one event reports, in an order in which it can be applied."""
    changes: list[AnyChange] = []
    changes += runs.interpret(event, known)
    changes += datasets.interpret(event, known)
    changes += lineage.interpret(event, known)
    return changes
