"""Versions of datasets: named by the `version` facet, or made by the run that wrote them."""

from hashlib import blake2b

import msgspec

from headwater.ids import ContentId, Micros, Node, RunId
from headwater.model.entities import Dataset


class Version(msgspec.Struct, gc=False):
    uuid: bytes
    dataset: Node
    version: str
    schema: ContentId
    first: Micros
    last: Micros
    run: int | None = None  # the row of the run that wrote it first
    written: Micros | None = None

    def merge(self, other: "Version") -> None:
        self.first, self.last = min(self.first, other.first), max(self.last, other.last)
        self.schema = max(self.schema, other.schema) if self.schema and other.schema else (self.schema or other.schema)
        if other.written is not None and (self.written is None or other.written < self.written):
            self.written, self.run = other.written, other.run


def version_uuid(dataset: Dataset, version: str, schema: ContentId, run: RunId | None) -> bytes:
    """The same version has the same id, whoever reports it and whenever.

    Without a name a version is what one run wrote with one schema; without a run, a schema.
    """
    identity = version if version else f"{run or ''}\0{schema}"
    text = f"{dataset.namespace}\0{dataset.name}\0{bool(version)}\0{identity}"
    return blake2b(text.encode(), digest_size=16).digest()
