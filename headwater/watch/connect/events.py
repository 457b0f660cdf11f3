"""OpenLineage events of a connector, as dictionaries."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from headwater.emit.events import JOB_EVENT_URL, RUN_EVENT_URL, WATCH, Json, now
from headwater.emit.naming import Dataset
from headwater.watch.connect.columns import InputField
from headwater.watch.connect.lineage import Lineage, Output
from headwater.watch.fields import Field

# Longer traces are cut: nobody reads more in a facet.
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
    """A connector that exists, but does not run."""
    return {
        "eventTime": now(),
        "producer": WATCH.url,
        "schemaURL": JOB_EVENT_URL,
        "job": {"namespace": job.namespace, "name": job.name, "facets": _job_facets() | facets},
        "inputs": inputs,
        "outputs": outputs,
    }


def _job_facets() -> Json:
    facet = WATCH.facet(
        "JobTypeJobFacet", "2-0-3", processingType="STREAMING", integration="KAFKA_CONNECT", jobType="CONNECTOR"
    )
    return {"jobType": facet}


def failure(why: str, trace: str) -> Json:
    head = trace.strip().partition("\n")[0] or why
    facet = WATCH.facet(
        "ErrorMessageRunFacet",
        "1-0-1",
        message=f"{why}: {head}" if trace.strip() else why,
        programmingLanguage="JAVA",
        stackTrace=trace[:_TRACE] or why,
    )
    return {"errorMessage": facet}


def end(why: str) -> Json:
    return {"headwater_end": WATCH.own_facet(reason=why)}


def extraction_errors(lineage: Lineage) -> Json:
    if not lineage.notes:
        return {}
    errors = [{"errorMessage": note, "task": "lineage", "taskNumber": 0} for note in lineage.notes]
    facet = WATCH.facet("ExtractionErrorRunFacet", "1-1-2", totalTasks=1, failedTasks=1, errors=errors)
    return {"extractionError": facet}


def inputs(lineage: Lineage, statistics: Mapping[str, Json], *, full: bool) -> list[Json]:
    """`full`: with all facets, and not only the names."""
    datasets = []
    for dataset, schema in lineage.inputs.items():
        dataset_json = _named(dataset, _facets(dataset, schema) if full else {})
        if dataset.name in statistics and dataset.namespace.startswith("kafka://"):
            dataset_json["inputFacets"] = statistics[dataset.name]
        datasets.append(dataset_json)
    return datasets


def outputs(lineage: Lineage, *, full: bool) -> list[Json]:
    return [_output(lineage, output) if full else _named(output.dataset, {}) for output in lineage.outputs.values()]


def _output(lineage: Lineage, output: Output) -> Json:
    facets = _facets(output.dataset, output.schema)
    fields: Json = {name: {"inputFields": _inputs(origins)} for name, origins in output.columns.items()}
    sources = [dataset for dataset, target in lineage.pairs if target == output.dataset]
    if fields or output.rows:
        facets["columnLineage"] = WATCH.facet(
            "ColumnLineageDatasetFacet", "1-2-0", fields=fields, dataset=_inputs(output.rows, indirect=True)
        )
    if len(lineage.inputs) > 1 and len(lineage.outputs) > 1 and sources:
        facets["lineage"] = _lineage_facet(sorted(sources), output)
    return _named(output.dataset, facets)


def _lineage_facet(sources: Iterable[Dataset], output: Output) -> Json:
    """Which inputs go into this output, as not all do. It takes precedence over columnLineage, so it has the columns,
    too."""
    rows = [{"type": "DATASET", **origin} for origin in _inputs(output.rows, indirect=True)]
    inputs = [{"type": "DATASET", "namespace": d.namespace, "name": d.name} for d in sources]
    fields = {
        name: {"inputs": [{"type": "DATASET", **origin} for origin in _inputs(origins)]}
        for name, origins in output.columns.items()
    }
    url = "https://openlineage.io/spec/facets/1-0-0/LineageFacet.json#/$defs/LineageDatasetFacet"
    more = {"fields": fields} if fields else {}
    return {"_producer": WATCH.url, "_schemaURL": url, "inputs": inputs + rows, **more}


def _inputs(origins: Iterable[InputField], *, indirect: bool = False) -> list[Json]:
    return [
        {
            "namespace": origin.dataset.namespace,
            "name": origin.dataset.name,
            "field": origin.field,
            "transformations": [_transformation(origin, indirect)],
        }
        for origin in sorted(origins)
    ]


def _transformation(origin: InputField, indirect: bool) -> Json:
    if indirect:
        return {"type": "INDIRECT", "subtype": "FILTER", "description": "", "masking": False}
    subtype = "TRANSFORMATION" if origin.transformation.changed else "IDENTITY"
    return {"type": "DIRECT", "subtype": subtype, "description": "", "masking": origin.transformation.masked}


def _facets(dataset: Dataset, schema: Iterable[Field]) -> Json:
    namespace = dataset.namespace
    facets: Json = {"dataSource": WATCH.facet("DatasourceDatasetFacet", "1-0-1", name=namespace, uri=namespace)}
    fields = [_field(field) for field in schema]
    if fields:
        facets["schema"] = WATCH.facet("SchemaDatasetFacet", "1-2-0", fields=fields)
    if namespace.startswith("kafka://"):
        facets["datasetType"] = WATCH.facet("DatasetTypeDatasetFacet", "1-0-1", datasetType="TOPIC")
    if dataset.symlinks:
        links = [{"namespace": ns, "name": name, "type": "TABLE"} for ns, name in dataset.symlinks]
        facets["symlinks"] = WATCH.facet("SymlinksDatasetFacet", "1-0-1", identifiers=links)
    return facets


def _field(field: Field) -> Json:
    field_json: Json = {"name": field.name} | ({"type": field.type} if field.type else {})
    return field_json | ({"fields": [_field(inside) for inside in field.fields]} if field.fields else {})


def _named(dataset: Dataset, facets: Json) -> Json:
    return {"namespace": dataset.namespace, "name": dataset.name, "facets": facets}


def fingerprint(content: Any) -> str:
    return hashlib.blake2b(json.dumps(content, sort_keys=True, default=str).encode(), digest_size=16).hexdigest()
