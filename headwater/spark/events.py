"""OpenLineage events of a streaming query, as dictionaries."""

import json
import logging
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from headwater.emit.events import DATASET_EVENT_URL, RUN_EVENT_URL, SPARK, Json, now
from headwater.emit.naming import Dataset
from headwater.spark.columns import Lineage

log = logging.getLogger("headwater.spark")

facet = SPARK.facet


class Output(NamedTuple):
    dataset: Dataset
    facets: Json


class Run(NamedTuple):
    """What all events of a run have in common."""

    namespace: str
    job: str
    id: str
    spark: str
    parent: tuple[str, str, str] | None = None


def event(
    kind: str,
    run: Run,
    inputs: Iterable[Json] = (),
    outputs: Iterable[Json] = (),
    facets: Json | None = None,
    at: str | None = None,
) -> Json:
    job_type = facet("JobTypeJobFacet", "2-0-3", processingType="STREAMING", integration="SPARK", jobType="QUERY")
    more: Json = {
        "processing_engine": facet(
            "ProcessingEngineRunFacet", "1-1-1", version=run.spark, name="spark", openlineageAdapterVersion="headwater"
        )
    }
    if run.parent is not None:
        namespace, name, run_id = run.parent
        more["parent"] = facet(
            "ParentRunFacet", "1-1-0", run={"runId": run_id}, job={"namespace": namespace, "name": name}
        )
    return {
        "eventType": kind,
        "eventTime": at or now(),
        "producer": SPARK.url,
        "schemaURL": RUN_EVENT_URL,
        "run": {"runId": run.id, "facets": more | (facets or {})},
        "job": {"namespace": run.namespace, "name": run.job, "facets": {"jobType": job_type}},
        "inputs": list(inputs),
        "outputs": list(outputs),
    }


def dataset_event(output: Output) -> Json:
    """What is true of a dataset, whichever run wrote it."""
    return {
        "eventTime": now(),
        "producer": SPARK.url,
        "schemaURL": DATASET_EVENT_URL,
        "dataset": named(output.dataset, output.facets),
    }


def dataset_facets(dataset: Dataset, schema: list[Json] | None) -> Json:
    facets: Json = {
        "dataSource": facet("DatasourceDatasetFacet", "1-0-1", name=dataset.namespace, uri=dataset.namespace)
    }
    if schema:
        facets["schema"] = facet("SchemaDatasetFacet", "1-2-0", fields=schema)
    if dataset.symlinks:
        links = [{"namespace": ns, "name": name, "type": "TABLE"} for ns, name in dataset.symlinks]
        facets["symlinks"] = facet("SymlinksDatasetFacet", "1-0-1", identifiers=links)
    return facets


def schema_fields(schema: Any) -> list[Json]:
    """Spark's schema (JSON, decoded or not) as OpenLineage writes it, with the fields of structs inside."""
    content = json.loads(schema) if isinstance(schema, str) else schema
    return [_field(field["name"], field["type"]) for field in content["fields"]]


def _field(name: str, kind: Any) -> Json:
    if not isinstance(kind, dict):
        return {"name": name, "type": kind}
    if kind["type"] == "struct":
        return {"name": name, "type": "struct", "fields": schema_fields(kind)}
    if kind["type"] == "array":
        return {"name": name, "type": "array", "fields": [_field("_element", kind["elementType"])]}
    if kind["type"] == "map":
        parts = [_field("key", kind["keyType"]), _field("value", kind["valueType"])]
        return {"name": name, "type": "map", "fields": parts}
    return {"name": name, "type": str(kind["type"])}


def named(dataset: Dataset, facets: Json | None = None, **more: Json) -> Json:
    return {"namespace": dataset.namespace, "name": dataset.name, "facets": facets or {}, **more}


def inputs_of(lineage: Lineage) -> list[Json]:
    """All that a query reads. A topic's columns are the fields of its records, if the query decodes them; if not, they
    are not reported: `key`, `value` and `offset` are Spark's columns for any topic."""
    inputs = []
    for dataset, schema in lineage.inputs.items():
        decoded = lineage.decoded.get(dataset.key)
        fields: list[Json] | None = None
        if decoded:
            fields = [{"name": n, **({"type": t} if t else {})} for n, t in decoded.items()]
        elif not dataset.namespace.startswith("kafka://"):
            fields = schema_fields(schema)
        inputs.append(named(dataset, dataset_facets(dataset, fields)))
    return inputs


def output_of(dataset: Dataset, lineage: Lineage, schema: Any) -> Output:
    """A dataset that is written, with its columns and where they come from."""
    types = {field["name"]: field for field in schema_fields(schema)}
    encoded = lineage.encoded
    fields = [types.get(name) or {"name": name, **_typed(encoded.get(name))} for name in lineage.columns]
    return Output(dataset, dataset_facets(dataset, fields) | {"columnLineage": lineage.facet})


def _typed(kind: str | None) -> Json:
    return {"type": kind} if kind else {}


def extraction_error(unknown: Mapping[str, tuple[str, ...]]) -> Json:
    """What could not be understood, by the name of the output."""
    errors = [
        {"errorMessage": what, "task": name, "taskNumber": number}
        for number, (name, problems) in enumerate(unknown.items())
        for what in problems
    ]
    if not errors:
        return {}
    failed = sum(1 for problems in unknown.values() if problems)
    return {
        "extractionError": facet(
            "ExtractionErrorRunFacet", "1-1-2", totalTasks=len(unknown), failedTasks=failed, errors=errors
        )
    }


def error(message: str) -> Json:
    head, _, rest = message.strip().partition("\n")
    return {
        "errorMessage": facet(
            "ErrorMessageRunFacet", "1-0-1", message=head, programmingLanguage="PYTHON", stackTrace=rest or head
        )
    }
