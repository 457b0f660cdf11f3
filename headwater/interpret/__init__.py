"""Event → changes. Pure: the same event always says the same, whatever is known already."""

from headwater.interpret import datasets, lineage, runs
from headwater.model.changes import AnyChange
from headwater.openlineage.event import Event


def interpret(event: Event) -> list[AnyChange]:
    """Everything that one event says, in an order in which it can be applied."""
    said: list[AnyChange] = []
    said += runs.interpret(event)
    said += datasets.interpret(event)
    said += lineage.interpret(event)
    return said
