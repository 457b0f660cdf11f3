"""The facets that Headwater understands, typed. Everything else stays as it was sent.

A known facet that does not follow its schema is stored too, but not understood: `read`
returns None and counts it, so that `/metrics` shows what is being lost.
"""

from collections import Counter
from functools import cache
from typing import TypeVar

import msgspec

F = TypeVar("F", bound="TypedFacet")

not_understood: Counter[str] = Counter()
"""How often a facet of each type could not be read; shown in /metrics."""


class TypedFacet(msgspec.Struct, frozen=True, gc=False):
    deleted: bool | None = msgspec.field(name="_deleted", default=None)


class Identifier(msgspec.Struct, frozen=True, gc=False):
    namespace: str
    name: str


class Symlinks(TypedFacet, frozen=True, gc=False):
    identifiers: list[Identifier] | None = None


class SchemaField(msgspec.Struct, frozen=True, gc=False):
    name: str
    type: str | None = None
    description: str | None = None
    fields: list["SchemaField"] | None = None


class Schema(TypedFacet, frozen=True, gc=False):
    fields: list[SchemaField] | None = None


class Lifecycle(TypedFacet, frozen=True, gc=False):
    lifecycleStateChange: str | None = None
    previousIdentifier: Identifier | None = None


class Version(TypedFacet, frozen=True, gc=False):
    datasetVersion: str | None = None


class DatasetType(TypedFacet, frozen=True, gc=False):
    datasetType: str | None = None


class DataSource(TypedFacet, frozen=True, gc=False):
    name: str | None = None
    uri: str | None = None


class Documentation(TypedFacet, frozen=True, gc=False):
    description: str | None = None


class Owner(msgspec.Struct, frozen=True, gc=False):
    name: str
    type: str | None = None


class Ownership(TypedFacet, frozen=True, gc=False):
    owners: list[Owner] | None = None


class Tag(msgspec.Struct, frozen=True, gc=False):
    key: str
    value: str = ""
    source: str | None = None
    field: str | None = None

    @property
    def label(self) -> str:
        """`pii` for a tag that only says yes, `tier:gold` for one with a value."""
        return self.key if self.value.lower() in ("", "true") else f"{self.key}:{self.value}"


class Tags(TypedFacet, frozen=True, gc=False):
    tags: list[Tag] | None = None


class JobType(TypedFacet, frozen=True, gc=False):
    processingType: str | None = None
    integration: str | None = None
    jobType: str | None = None


class Sql(TypedFacet, frozen=True, gc=False):
    query: str | None = None


class SourceCodeLocation(TypedFacet, frozen=True, gc=False):
    url: str | None = None


class NominalTime(TypedFacet, frozen=True, gc=False):
    nominalStartTime: str | None = None
    nominalEndTime: str | None = None


class RunRef(msgspec.Struct, frozen=True, gc=False):
    runId: str


class RootRef(msgspec.Struct, frozen=True, gc=False):
    run: RunRef
    job: Identifier


class ParentRun(TypedFacet, frozen=True, gc=False):
    run: RunRef | None = None
    job: Identifier | None = None
    root: RootRef | None = None


class Transformation(msgspec.Struct, frozen=True, gc=False):
    type: str
    subtype: str | None = None
    description: str | None = None
    masking: bool | None = None


class InputField(msgspec.Struct, frozen=True, gc=False):
    namespace: str
    name: str
    field: str
    transformations: list[Transformation] | None = None


class OutputField(msgspec.Struct, frozen=True, gc=False):
    inputFields: list[InputField]
    transformationDescription: str | None = None
    transformationType: str | None = None


class ColumnLineage(TypedFacet, frozen=True, gc=False):
    fields: dict[str, OutputField] | None = None
    dataset: list[InputField] | None = None


class LineageInput(msgspec.Struct, frozen=True, gc=False):
    type: str
    namespace: str | None = None
    name: str | None = None
    field: str | None = None
    runId: str | None = None
    transformations: list[Transformation] | None = None


class LineageFieldEntry(msgspec.Struct, frozen=True, gc=False):
    inputs: list[LineageInput]


class LineageEntry(msgspec.Struct, frozen=True, gc=False):
    type: str
    namespace: str | None = None
    name: str | None = None
    runId: str | None = None
    inputs: list[LineageInput] | None = None
    fields: dict[str, LineageFieldEntry] | None = None


class JobLineage(TypedFacet, frozen=True, gc=False):
    """`lineage` as a job facet: which entities feed which, stated outright."""

    entries: list[LineageEntry] | None = None


class DatasetLineage(TypedFacet, frozen=True, gc=False):
    """`lineage` as a dataset facet: what feeds this dataset."""

    inputs: list[LineageInput] | None = None
    fields: dict[str, LineageFieldEntry] | None = None


# Our own, in events that the server makes from requests of Marquez clients.
DECLARED_DATASET, RUN_ARGS = "headwater_dataset", "headwater_args"


class DeclaredDataset(TypedFacet, frozen=True, gc=False):
    physicalName: str | None = None
    schemaLocation: str | None = None


class RunArgs(TypedFacet, frozen=True, gc=False):
    args: dict[str, str] | None = None


class ErrorMessage(TypedFacet, frozen=True, gc=False):
    message: str | None = None
    stackTrace: str | None = None


class Statistics(TypedFacet, frozen=True, gc=False):
    """`outputStatistics` and `inputStatistics`."""

    rowCount: float | None = None
    size: float | None = None
    fileCount: float | None = None


class DataQualityMetrics(TypedFacet, frozen=True, gc=False):
    rowCount: float | None = None
    bytes: float | None = None
    fileCount: float | None = None


@cache
def _decoder(facet: type[F]) -> msgspec.json.Decoder[F]:
    return msgspec.json.Decoder(facet)


def read(facet: type[F], content: bytes | None) -> F | None:
    """The facet, or None where there is none, it is deleted, or it does not follow its schema."""
    if content is None:
        return None
    try:
        decoded = _decoder(facet).decode(content)
    except msgspec.MsgspecError:
        not_understood[facet.__name__] += 1
        return None
    return None if decoded.deleted else decoded


def is_deleted(content: bytes) -> bool:
    # A look at the bytes first: hardly any facet has the word, and decoding costs more.
    if b'"_deleted"' not in content:
        return False
    try:
        return _decoder(TypedFacet).decode(content).deleted is True
    except msgspec.MsgspecError:
        return False
