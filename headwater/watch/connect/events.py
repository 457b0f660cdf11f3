"""OpenLineage events of a connector, as dictionaries."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from headwater.emit.events import JOB_EVENT_URL, RUN_EVENT_URL, WATCH, Json, now
from headwater.emit.naming import Dataset
from headwater.watch.connect.columns import From
from headwater.watch.connect.found import Lineage, Output
from headwater.watch.fields import Field

# The end of a trace has the cause; more than this nobody reads in a facet.
_TRACE = 16_000


class Job(NamedTuple):
    namespace: str
    name: str
    version: str = ""
    """Of Connect."""


def of_run(kind: str, job: Job, run: str, inputs: list[Json], outputs: list[Json], facets: Json) -> Json:
    more: Json = {}
    if job.version:
        more["processing_engine"] = WATCH.facet(
            "ProcessingEngineRunFacet", "1-1-1", version=job.version, name="kafka-connect"
        )
    return {
        "eventType": kind,
        "eventTime": now(),
        "producer": WATCH.url,
        "schemaURL": RUN_EVENT_URL,
        "run": {"runId": run, "facets": more | facets},
        "job": {"namespace": job.namespace, "name": job.name, "facets": _job_facets()},
        "inputs": inputs,
        "outputs": outputs,
    }


def of_job(job: Job, inputs: list[Json], outputs: list[Json], facets: Json) -> Json:
    """A connector that is there, but does not run."""
    return {
        "eventTime": now(),
        "producer": WATCH.url,
        "schemaURL": JOB_EVENT_URL,
        "job": {"namespace": job.namespace, "name": job.name, "facets": _job_facets() | facets},
        "inputs": inputs,
        "outputs": outputs,
    }


def _job_facets() -> Json:
    told = WATCH.facet(
        "JobTypeJobFacet", "2-0-3", processingType="STREAMING", integration="KAFKA_CONNECT", jobType="CONNECTOR"
    )
    return {"jobType": (told)}


def failure(why: str, trace: str) -> Json:
    head = trace.strip().partition("\n")[0] or why
    told = WATCH.facet(
        "ErrorMessageRunFacet",
        "1-0-1",
        message=f"{why}: {head}" if trace.strip() else why,
        programmingLanguage="JAVA",
        stackTrace=trace[:_TRACE] or why,
    )
    return {"errorMessage": (told)}


def end(why: str) -> Json:
    return {"headwater_end": WATCH.own_facet(reason=why)}


def not_understood(found: Lineage) -> Json:
    if not found.notes:
        return {}
    errors = [{"errorMessage": note, "task": "lineage", "taskNumber": 0} for note in found.notes]
    told = WATCH.facet("ExtractionErrorRunFacet", "1-1-2", totalTasks=1, failedTasks=1, errors=errors)
    return {"extractionError": (told)}


def inputs(found: Lineage, statistics: Mapping[str, Json], *, full: bool) -> list[Json]:
    made = []
    for dataset, schema in found.inputs.items():
        one = _named(dataset, _facets(dataset, schema) if full else {})
        if dataset.name in statistics and dataset.namespace.startswith("kafka://"):
            one["inputFacets"] = statistics[dataset.name]
        made.append(one)
    return made


def outputs(found: Lineage, *, full: bool) -> list[Json]:
    return [_output(found, output) if full else _named(output.dataset, {}) for output in found.outputs.values()]


def _output(found: Lineage, output: Output) -> Json:
    facets = _facets(output.dataset, output.schema)
    fields: Json = {name: {"inputFields": _inputs(origins)} for name, origins in output.columns.items()}
    sources = [dataset for dataset, target in found.pairs if target == output.dataset]
    if fields or output.rows:
        facets["columnLineage"] = WATCH.facet(
            "ColumnLineageDatasetFacet", "1-2-0", fields=fields, dataset=_inputs(output.rows, indirect=True)
        )
    if len(found.inputs) > 1 and len(found.outputs) > 1 and sources:
        facets["lineage"] = _explicit(sorted(sources), output)
    return _named(output.dataset, facets)


def _explicit(sources: Iterable[Dataset], output: Output) -> Json:
    """Not everything that goes in goes into everything that comes out. It counts before columnLineage, so it has
    the columns, too."""
    rows = [{"type": "DATASET", **origin} for origin in _inputs(output.rows, indirect=True)]
    inputs = [{"type": "DATASET", "namespace": d.namespace, "name": d.name} for d in sources]
    fields = {
        name: {"inputs": [{"type": "DATASET", **origin} for origin in _inputs(origins)]}
        for name, origins in output.columns.items()
    }
    url = "https://openlineage.io/spec/facets/1-0-0/LineageFacet.json#/$defs/LineageDatasetFacet"
    more = {"fields": fields} if fields else {}
    return {"_producer": WATCH.url, "_schemaURL": url, "inputs": inputs + rows, **more}


def _inputs(origins: Iterable[From], *, indirect: bool = False) -> list[Json]:
    return [
        {
            "namespace": origin.dataset.namespace,
            "name": origin.dataset.name,
            "field": origin.field,
            "transformations": [_transformation(origin, indirect)],
        }
        for origin in sorted(origins)
    ]


def _transformation(origin: From, indirect: bool) -> Json:
    if indirect:
        return {"type": "INDIRECT", "subtype": "FILTER", "description": "", "masking": False}
    subtype = "TRANSFORMATION" if origin.way.changed else "IDENTITY"
    return {"type": "DIRECT", "subtype": subtype, "description": "", "masking": origin.way.masked}


def _facets(dataset: Dataset, schema: Iterable[Field]) -> Json:
    namespace = dataset.namespace
    found: Json = {"dataSource": (WATCH.facet("DatasourceDatasetFacet", "1-0-1", name=namespace, uri=namespace))}
    fields = [_field(field) for field in schema]
    if fields:
        found["schema"] = WATCH.facet("SchemaDatasetFacet", "1-2-0", fields=fields)
    if namespace.startswith("kafka://"):
        found["datasetType"] = WATCH.facet("DatasetTypeDatasetFacet", "1-0-1", datasetType="TOPIC")
    if dataset.symlinks:
        links = [{"namespace": ns, "name": name, "type": "TABLE"} for ns, name in dataset.symlinks]
        found["symlinks"] = WATCH.facet("SymlinksDatasetFacet", "1-0-1", identifiers=links)
    return found


def _field(field: Field) -> Json:
    told: Json = {"name": field.name} | ({"type": field.type} if field.type else {})
    return told | ({"fields": [_field(inside) for inside in field.fields]} if field.fields else {})


def _named(dataset: Dataset, facets: Json) -> Json:
    return {"namespace": dataset.namespace, "name": dataset.name, "facets": facets}


def fingerprint(told: Any) -> str:
    return hashlib.blake2b(json.dumps(told, sort_keys=True, default=str).encode(), digest_size=16).hexdigest()
