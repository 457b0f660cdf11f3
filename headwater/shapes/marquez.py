"""The bodies of answers, as Marquez clients know them. Where we say more, it is extra fields.

The types say what is in the JSON; the server may put a `Raw` in such a place, which is the same
already written.
"""

from datetime import datetime
from typing import Any

import msgspec
from msgspec import Raw


class Name(msgspec.Struct, gc=False):
    namespace: str
    name: str


class VersionName(msgspec.Struct, gc=False):
    namespace: str
    name: str
    version: str


class Namespace(msgspec.Struct):
    name: str
    createdAt: datetime
    updatedAt: datetime
    ownerName: str
    description: str | None
    isHidden: bool


class Namespaces(msgspec.Struct):
    namespaces: list[Namespace]


class Source(msgspec.Struct):
    type: str
    name: str
    createdAt: datetime
    updatedAt: datetime
    connectionUrl: str
    description: str | None


class Sources(msgspec.Struct):
    sources: list[Source]


class Tag(msgspec.Struct):
    name: str
    description: str | None


class Tags(msgspec.Struct):
    tags: list[Tag]


class Field(msgspec.Struct, gc=False):
    name: str
    type: str | None
    tags: list[str]
    description: str | None


class InputFieldRef(msgspec.Struct, gc=False):
    namespace: str
    dataset: str
    field: str
    transformationType: str | None = None
    transformationDescription: str | None = None
    transformations: list[dict[str, Any]] = []


class FieldLineage(msgspec.Struct, gc=False):
    name: str
    inputFields: list[InputFieldRef]


class DatasetData(msgspec.Struct, gc=False):
    """A dataset as a node of the lineage graph."""

    id: Name
    type: str
    name: str
    physicalName: str
    createdAt: datetime | None
    updatedAt: datetime | None
    namespace: str
    sourceName: str
    fields: list[Field]
    tags: list[str]
    lastModifiedAt: datetime | None
    lastLifecycleState: str | None
    description: str | None
    deleted: bool
    aliases: list[Name]


class Dataset(DatasetData, gc=False):
    currentVersion: str | None = None
    columnLineage: list[FieldLineage] | None = None
    facets: dict[str, Any] = {}


class Datasets(msgspec.Struct):
    totalCount: int
    datasets: list[Dataset]


class DatasetVersion(Dataset, gc=False):
    version: str = ""
    createdByRun: "Run | None" = None
    lifecycleState: str | None = None
    currentSchemaVersion: str | None = None


class DatasetVersions(msgspec.Struct):
    versions: list[DatasetVersion]
    totalCount: int


class UsedVersion(msgspec.Struct, gc=False):
    datasetVersionId: VersionName
    facets: dict[str, Any]


class RunState(msgspec.Struct, gc=False):
    """One step of a run, and the event that reported it."""

    type: str
    at: datetime
    position: int


class Run(msgspec.Struct, gc=False):
    id: str
    createdAt: datetime | None
    updatedAt: datetime | None
    nominalStartTime: datetime | None
    nominalEndTime: datetime | None
    state: str
    startedAt: datetime | None
    endedAt: datetime | None
    durationMs: int | None
    args: dict[str, str] = {}
    job: Name | None = None
    jobVersion: VersionName | None = None
    parentRunId: str | None = None
    rootRunId: str | None = None
    inputDatasetVersions: list[UsedVersion] = []
    outputDatasetVersions: list[UsedVersion] = []
    facets: dict[str, Any] = {}
    states: list[RunState] = []


class Runs(msgspec.Struct):
    runs: list[Run]
    totalCount: int


class JobData(msgspec.Struct, gc=False):
    """A job as a node of the lineage graph."""

    id: Name
    type: str
    name: str
    simpleName: str
    parentJobName: str | None
    parentJobUuid: str | None
    createdAt: datetime
    updatedAt: datetime
    namespace: str
    inputs: list[Name]
    outputs: list[Name]
    location: str | None
    description: str | None
    latestRun: Run | None = None


class Job(JobData, gc=False):
    latestRuns: list[Run] = []
    facets: dict[str, Any] = {}
    currentVersion: str | None = None
    labels: list[str] = []
    tags: list[str] = []


class Jobs(msgspec.Struct):
    totalCount: int
    jobs: list[Job]


class JobVersion(msgspec.Struct, gc=False):
    id: VersionName
    name: str
    createdAt: datetime
    version: str
    namespace: str
    location: str | None
    inputs: list[Name]
    outputs: list[Name]
    latestRun: Run | None


class JobVersions(msgspec.Struct):
    versions: list[JobVersion]


class EventCounts(msgspec.Struct, gc=False):
    """How many events of each type there were in an interval."""

    startInterval: datetime
    endInterval: datetime
    fail: int
    start: int
    complete: int
    abort: int


class Count(msgspec.Struct, gc=False):
    """How many there were at the end of an interval."""

    startInterval: datetime
    endInterval: datetime
    count: int


class GraphEdge(msgspec.Struct, gc=False):
    origin: str
    destination: str


class ColumnData(msgspec.Struct, gc=False):
    namespace: str
    dataset: str
    datasetVersion: str | None
    field: str
    fieldType: str | None
    transformationDescription: str | None
    transformationType: str | None
    inputFields: list[InputFieldRef]


class GraphNode(msgspec.Struct, gc=False):
    id: str
    type: str
    data: dict[str, Any]  # DatasetData, JobData or ColumnData, by the type
    inEdges: list[GraphEdge]
    outEdges: list[GraphEdge]


class Graph(msgspec.Struct):
    graph: list[GraphNode]


class Events(msgspec.Struct):
    totalCount: int
    events: list[Raw]


class RunFacets(msgspec.Struct):
    runId: str
    facets: dict[str, Any]


class Health(msgspec.Struct):
    status: str
    position: int
    tablesPosition: int
    version: str = ""
