"""What each edit does to the state."""

from typing import assert_never

from headwater.ids import Position
from headwater.model import changes as c
from headwater.model import edits as e
from headwater.model.apply import apply
from headwater.model.effects import Altered
from headwater.model.state import State
from headwater.openlineage.event import last_stamp


def apply_edit(state: State, position: Position, edit: e.Edit) -> None:
    """Applies an edit and notes where it stands, apart from the events."""
    _apply(state, edit.change)
    state.position = max(state.position, position)
    state.edited.count += 1
    state.dirty.edits.append((position, state.edited.count))


def _apply(state: State, change: e.AnyEdit) -> None:
    edited = state.edited
    match change:
        case e.NamespacePut():
            edited.put_namespace(change.name, (change.at, change.owner, change.description))
            state.see_namespace(change.name, change.at)
        case e.SourcePut():
            edited.put_source(change.name, (change.at, change.kind, change.description))
            apply(state, c.SourceSeen(change.name, change.url, last_stamp(change.at)))
        case e.TagPut():
            edited.put_tag(change.name, change.at, change.description)
        case e.Tagged():
            edited.tag(change.entity, change.field, change.tag, change.at, change.on)
            kind, namespace, name = change.entity
            node = (state.jobs if kind == "job" else state.datasets).get(namespace, {}).get(name)
            if node is not None:
                state.outdate(node)
                state.note_effect(Altered(node))
        case e.Deleted():
            for entity in change.entities:
                edited.delete(entity, change.at)
                state.note_deleted(entity)
        case _:
            assert_never(change)
