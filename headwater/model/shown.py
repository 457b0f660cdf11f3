"""What is shown of jobs, and of the datasets behind one name: whether they are shown at all, and all their
facets together."""

from headwater.ids import Micros, Node
from headwater.model.entities import Dataset, Registers
from headwater.model.state import State
from headwater.openlineage.event import stamp_time


def is_shown(state: State, node: Node) -> bool:
    """Whether lists and searches have it: not if it was deleted; a dataset under its canonical
    name only, if it was ever seen and is not dropped."""
    if state.is_hidden(node):
        return False
    entity = state.nodes[node]
    if not isinstance(entity, Dataset):
        return True
    if node not in state.aliases.grouped:
        return entity.first is not None and (entity.lifecycle is None or not is_dropped(state, node))
    if state.aliases.canonical(node) != node:
        return False
    if all(state.dataset_of(member).first is None for member in state.aliases.members(node)):
        return False
    return not is_dropped(state, node)


def is_dropped(state: State, node: Node) -> bool:
    """Dropped, and written since by nobody but the job that dropped it."""
    entities = [state.dataset_of(m) for m in state.aliases.members(node)]
    reported = [d.lifecycle for d in entities if d.lifecycle is not None]
    if not reported:
        return False
    last = max(reported, key=lambda lifecycle: lifecycle.stamp)
    if last.state != "DROP":
        return False
    at = stamp_time(last.stamp)
    if any(d.declared is not None and d.declared > at for d in entities):
        return False
    return not any(e.last > at and e.src != last.job for d in entities for e in d.into)


def facets_of(state: State, node: Node) -> Registers:
    """The facets of a job, or of all names of a dataset: of each the one that was reported last."""
    entity = state.nodes[node]
    members = state.aliases.members(node)
    if not isinstance(entity, Dataset) or len(members) == 1:
        return entity.facets
    merged: Registers = {}
    for member in members:
        for name, register in state.dataset_of(member).facets.items():
            other = merged.get(name)
            if other is None or register[1:] > other[1:]:
                merged[name] = register
    return merged


def last_seen(state: State, node: Node) -> Micros:
    if node not in state.aliases.grouped:
        return state.nodes[node].last
    return max(state.dataset_of(member).last for member in state.aliases.members(node))
