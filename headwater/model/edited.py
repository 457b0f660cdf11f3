"""The outcome of edits: registers by name, in which the later edit wins.

They are stored by name and not on jobs and datasets, because an edit may be folded before the
first event that names what it is about.
"""

from typing import Any

from headwater.ids import Micros
from headwater.model.changes import Ref
from headwater.model.entities import later

NEVER = Micros(-(1 << 62))

Tags = dict[tuple[str, str], tuple[Micros, bool]]
"""(column, or "" for the whole; tag) → when, and whether it was put on or taken off."""


class Edited:
    def __init__(self) -> None:
        self.namespaces: dict[str, tuple[Micros, str, str | None]] = {}  # owner, description
        self.sources: dict[str, tuple[Micros, str, str | None]] = {}  # type, description
        self.tags: dict[str, tuple[Micros, str | None]] = {}  # description
        self.tagged: dict[Ref, Tags] = {}
        self.deleted: dict[Ref, tuple[Micros, ...]] = {}  # every time, in order
        self.count = 0  # how many edits the log has
        self.dirty: set[tuple[str, str | Ref]] = set()  # which register, and of what

    def put_namespace(self, name: str, edit: tuple[Micros, str, str | None]) -> None:
        self.namespaces[name] = later(self.namespaces.get(name), edit)
        self.dirty.add(("namespaces", name))

    def put_source(self, name: str, edit: tuple[Micros, str, str | None]) -> None:
        self.sources[name] = later(self.sources.get(name), edit)
        self.dirty.add(("sources", name))

    def put_tag(self, name: str, at: Micros, description: str | None) -> None:
        """Without a description the present one stays."""
        edit = (at, description) if description is not None else (NEVER, None)
        self.tags[name] = later(self.tags.get(name), edit)
        self.dirty.add(("tags", name))

    def tag(self, entity: Ref, field: str | None, tag: str, at: Micros, on: bool) -> None:
        tags = self.tagged.setdefault(entity, {})
        key = (field or "", tag)
        tags[key] = later(tags.get(key), (at, on))
        self.dirty.add(("tagged", entity))
        if on:
            self.put_tag(tag, at, None)

    def delete(self, entity: Ref, at: Micros) -> None:
        self.deleted[entity] = tuple(sorted({*self.deleted.get(entity, ()), at}))
        self.dirty.add(("deleted", entity))

    def deletions(self, entity: Ref) -> tuple[Micros, ...]:
        """When a job or dataset was deleted, by itself or with its namespace."""
        own, whole = self.deleted.get(entity, ()), self.deleted.get(("namespace", entity[1], ""), ())
        return tuple(sorted({*own, *whole})) if whole else own

    def latest(self) -> Micros:
        """When the last edit was made."""
        registers: list[dict[Any, Any]] = [self.namespaces, self.sources, self.tags, *self.tagged.values()]
        edited = [edit[0] for register in registers for edit in register.values()]
        return max((*edited, *(times[-1] for times in self.deleted.values())), default=NEVER)

    def tags_on(self, entities: list[Ref]) -> Tags:
        """The tags of something that goes by several names."""
        if len(entities) == 1:
            return self.tagged.get(entities[0], {})
        tags: Tags = {}
        for entity in entities:
            for key, edit in self.tagged.get(entity, {}).items():
                tags[key] = later(tags.get(key), edit)
        return tags
