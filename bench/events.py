"""Events of one realistic size, for graphs of several shapes.

Every job reads three datasets and writes one; each dataset has a schema of 20 columns, and
each output column comes from a column of two of the inputs: about 14.8 KB as JSON.

    chain    job i reads ds_i and two of its own, writes ds_(i+1)        as deep as there are jobs
    tree     job i reads ds_(3i+1), ds_(3i+2), ds_(3i+3), writes ds_i    ds_0 is the root
    layered  separate chains of 10 jobs                                  the graph around a node stays small
    fan      job i reads ds_(i/10) and two that ten jobs share,          all is downstream of ds_0
             writes ds_(i+1)
"""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from random import Random
from typing import Any, Literal
from uuid import UUID

import msgspec

Shape = Literal["chain", "tree", "layered", "fan"]

JOBS_PER_CHAIN = 10  # of the layered shape
JOBS_PER_DATASET = 10  # of the fan
_PRODUCER = "https://headwater.example/bench/1.0"
_SPEC = "https://openlineage.io/spec/"
_TYPES = ("BIGINT", "VARCHAR", "TIMESTAMP", "DOUBLE", "BOOLEAN", "DECIMAL(18,2)")
_INPUTS = 3
_INPUTS_OF_A_COLUMN = 2
_SLOT = re.compile(rb"@(\w+)@")


class Load(msgspec.Struct, frozen=True):
    """Which events; the same load always has the same jobs and datasets."""

    shape: Shape
    jobs: int
    namespace: str = "bench"
    columns: int = 20
    # Every dataset's columns have names of their own, and no two jobs share an input that
    # neither wrote: only the data source is repeated, so that nothing else is stored just once.
    all_names_differ: bool = False
    # Only names, as in a run whose facets were all reported before: 1.3 KB.
    plain: bool = False

    @property
    def dataset_namespace(self) -> str:
        return self.namespace + "_db"

    @property
    def datasets(self) -> int:
        if self.shape == "fan":
            return self.jobs + 1 + 2 * -(-self.jobs // JOBS_PER_DATASET)
        if self.shape != "layered":
            return _INPUTS * self.jobs + 1
        chains = -(-self.jobs // JOBS_PER_CHAIN)
        return self.jobs + chains + (2 * self.jobs if self.all_names_differ else 2 * chains)

    def job(self, i: int) -> str:
        return f"{_chain(i)}.job_{i % JOBS_PER_CHAIN}" if self.shape == "layered" else f"job_{i}"

    def inputs(self, i: int) -> tuple[str, str, str]:
        if self.shape == "chain":
            return f"ds_{i}", f"ref_{2 * i}", f"ref_{2 * i + 1}"
        if self.shape == "tree":
            return f"ds_{3 * i + 1}", f"ds_{3 * i + 2}", f"ds_{3 * i + 3}"
        if self.shape == "fan":
            above = i // JOBS_PER_DATASET
            return f"ds_{above}", f"ref_{2 * above}", f"ref_{2 * above + 1}"
        chain, k = _chain(i), i % JOBS_PER_CHAIN
        if self.all_names_differ:
            return f"{chain}.ds_{k}", f"{chain}.ref_{2 * k}", f"{chain}.ref_{2 * k + 1}"
        return f"{chain}.ds_{k}", f"{chain}.ref_a", f"{chain}.ref_b"

    def output(self, i: int) -> str:
        if self.shape in ("chain", "fan"):
            return f"ds_{i + 1}"
        return f"ds_{i}" if self.shape == "tree" else f"{_chain(i)}.ds_{i % JOBS_PER_CHAIN + 1}"


def _chain(i: int) -> str:
    return f"p{i // JOBS_PER_CHAIN}"


class Events:
    """Writes the events of a load. The JSON is made once, with slots for what differs, so that
    an event costs the load generator some 10 µs and not the 100 µs of encoding it."""

    def __init__(self, load: Load, seed: int = 0) -> None:
        self.load = load
        self._random = Random(seed)
        text = json.dumps(_event(load), separators=(",", ":")).encode()
        self._parts = _SLOT.split(text)
        self._slots = [(at, self._parts[at].decode()) for at in range(1, len(self._parts), 2)]

    def run(self, i: int, *, with_start: bool = True) -> Iterator[bytes]:
        """The events of one new run of job `i`: START and COMPLETE, or COMPLETE alone."""
        first, second, third = self.load.inputs(i)
        values = {
            "job": self.load.job(i),
            "in0": first,
            "in1": second,
            "in2": third,
            "out": self.load.output(i),
            "run": str(UUID(int=self._random.getrandbits(128), version=4)),
        }
        for kind in ("START", "COMPLETE") if with_start else ("COMPLETE",):
            yield self._fill({**values, "type": kind, "time": _now()})

    def _fill(self, values: dict[str, str]) -> bytes:
        encoded = {name: value.encode() for name, value in values.items()}
        parts = self._parts.copy()
        for at, name in self._slots:
            parts[at] = encoded[name]
        return b"".join(parts)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _event(load: Load) -> dict[str, Any]:
    inputs = [f"@in{n}@" for n in range(_INPUTS)]
    query = "INSERT INTO @out@ SELECT * FROM @in0@ JOIN @in1@ USING (id) JOIN @in2@ USING (id)"
    job_type = {"processingType": "BATCH", "integration": "SPARK", "jobType": "JOB"}
    return {
        "eventType": "@type@",
        "eventTime": "@time@",
        "producer": _PRODUCER,
        "schemaURL": _SPEC + "2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {
            "runId": "@run@",
            "facets": {"nominalTime": _facet("NominalTimeRunFacet", "1-0-1", nominalStartTime="@time@")},
        },
        "job": {
            "namespace": load.namespace,
            "name": "@job@",
            "facets": {
                "jobType": _facet("JobTypeJobFacet", "2-0-3", **job_type),
                "sql": _facet("SQLJobFacet", "1-0-1", query=query),
            },
        },
        "inputs": [_dataset(load, name) for name in inputs],
        "outputs": [_output(load, "@out@", inputs[:_INPUTS_OF_A_COLUMN])],
    }


def _facet(name: str, version: str, /, **fields: Any) -> dict[str, Any]:
    return {"_producer": _PRODUCER, "_schemaURL": f"{_SPEC}facets/{version}/{name}.json#/$defs/{name}", **fields}


def _dataset(load: Load, name: str) -> dict[str, Any]:
    namespace = load.dataset_namespace
    if load.plain:
        return {"namespace": namespace, "name": name}
    fields = [
        {"name": _column(load, name, c), "type": _TYPES[c % len(_TYPES)], "description": f"column {c}"}
        for c in range(load.columns)
    ]
    source = {"name": namespace, "uri": f"postgres://db.local:5432/{namespace}"}
    return {
        "namespace": namespace,
        "name": name,
        "facets": {
            "schema": _facet("SchemaDatasetFacet", "1-1-1", fields=fields),
            "dataSource": _facet("DatasourceDatasetFacet", "1-0-1", **source),
        },
    }


def _output(load: Load, name: str, sources: list[str]) -> dict[str, Any]:
    dataset = _dataset(load, name)
    if load.plain:
        return dataset
    dataset["facets"]["columnLineage"] = _facet(
        "ColumnLineageDatasetFacet",
        "1-2-0",
        fields={
            _column(load, name, c): {
                "inputFields": [_input_field(load, n, source, c) for n, source in enumerate(sources)]
            }
            for c in range(load.columns)
        },
    )
    statistics = _facet("OutputStatisticsOutputDatasetFacet", "1-0-2", rowCount=12345, size=987654)
    return {**dataset, "outputFacets": {"outputStatistics": statistics}}


def _input_field(load: Load, n: int, source: str, c: int) -> dict[str, Any]:
    subtype = "TRANSFORMATION" if n else "IDENTITY"
    transformation = {"type": "DIRECT", "subtype": subtype, "description": "", "masking": False}
    return {
        "namespace": load.dataset_namespace,
        "name": source,
        "field": _column(load, source, c),
        "transformations": [transformation],
    }


def _column(load: Load, dataset: str, c: int) -> str:
    return f"{dataset}_col_{c}" if load.all_names_differ else f"col_{c}"
