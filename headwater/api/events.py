"""Datasets, jobs and runs that Marquez clients write, as the OpenLineage events that report the same."""

from collections.abc import Iterable
from typing import Any

import msgspec

from headwater import __version__
from headwater.api.bodies import DatasetBody, DatasetName, FieldBody, JobBody
from headwater.ids import Micros
from headwater.model.entities import Run
from headwater.model.state import Source, State
from headwater.openlineage.event import Event, decode
from headwater.openlineage.facets import DECLARED_DATASET, RUN_ARGS
from headwater.openlineage.timestamps import iso

PRODUCER = f"urn:headwater:server:{__version__}"
OPERATION = "headwater_operation"
_SPEC = "https://openlineage.io/spec"
_PROCESSING = {"BATCH": "BATCH", "STREAM": "STREAMING", "SERVICE": "SERVICE"}
_DATASET_TYPES = {"DB_TABLE": "TABLE", "STREAM": "STREAM"}

Json = dict[str, Any]
Name = tuple[str, str]


def dataset_event(at: Micros, name: Name, body: DatasetBody, source: Source, run: tuple[Run, Name] | None) -> Event:
    """A dataset event; where a run is named, what that run wrote."""
    facets = {
        "dataSource": _facet("1-0-1/DatasourceDatasetFacet", name=source.name, uri=source.uri),
        "datasetType": _facet("1-0-1/DatasetTypeDatasetFacet", datasetType=_DATASET_TYPES[body.type]),
        DECLARED_DATASET: _own("dataset", physicalName=body.physicalName, schemaLocation=body.schemaLocation),
    }
    if body.fields:
        facets["schema"] = _facet("1-2-0/SchemaDatasetFacet", fields=[_field(field) for field in body.fields])
    if body.description is not None:
        facets["documentation"] = _facet("1-1-0/DocumentationDatasetFacet", description=body.description)
    dataset = {**_named(name), "facets": facets}
    if run is None:
        return _event(at, "DatasetEvent", dataset=dataset)
    return _event(at, "RunEvent", eventType="OTHER", **_run(*run), inputs=[], outputs=[dataset])


def job_event(at: Micros, name: Name, body: JobBody, run: Run | None) -> Event:
    """A job event; where a run is named, what that run reads and writes."""
    facets = {
        "jobType": _facet(
            "2-0-4/JobTypeJobFacet", processingType=_PROCESSING[body.type], integration="HEADWATER", jobType="JOB"
        )
    }
    if body.description is not None:
        facets["documentation"] = _facet("1-1-0/DocumentationJobFacet", description=body.description)
    if body.location is not None:
        facets["sourceCodeLocation"] = _facet("1-1-0/SourceCodeLocationJobFacet", type="url", url=body.location)
    if body.context:
        facets["headwater_context"] = _own("context", context=body.context)
        query = next((text for key, text in body.context.items() if key.lower() == "sql"), None)
        if query is not None:
            facets["sql"] = _facet("1-1-0/SQLJobFacet", query=query)
    datasets = {"inputs": _datasets(body.inputs), "outputs": _datasets(body.outputs)}
    if run is None:
        return _event(at, "JobEvent", job={**_named(name), "facets": facets}, **datasets)
    return _event(at, "RunEvent", eventType="OTHER", **_run(run, name, job_facets=facets), **datasets)


def run_event(
    at: Micros,
    kind: str,
    run_id: str,
    job: Name,
    nominal: tuple[str | None, str | None] = (None, None),
    args: dict[str, str] | None = None,
) -> Event:
    """A step of a run. OTHER: it exists, and has not begun."""
    facets: Json = {}
    times = {name: text for name, text in zip(("nominalStartTime", "nominalEndTime"), nominal, strict=True) if text}
    if times:
        facets["nominalTime"] = _facet("1-0-1/NominalTimeRunFacet", **times)
    if args:
        facets[RUN_ARGS] = _own("args", args=args)
    run = {"run": {"runId": run_id, "facets": facets}, "job": {**_named(job), "facets": {}}}
    return _event(at, "RunEvent", eventType=kind, **run, inputs=[], outputs=[])


def operation_event(at: Micros, job: Name, action: str, by: str, outcome: str, **details: Any) -> Event:
    """What somebody did to a connector, or tried to do."""
    facet = _own("operation", action=action, by=by, outcome=outcome, **details)
    return _event(at, "JobEvent", job={**_named(job), "facets": {OPERATION: facet}}, inputs=[], outputs=[])


def job_of_run(state: State, run: Run) -> Name:
    job = state.job_of(run.job)
    return job.namespace, job.name


def _event(at: Micros, kind: str, **fields: Any) -> Event:
    schema = f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/{kind}"
    return decode(msgspec.json.encode({"eventTime": iso(at), "producer": PRODUCER, "schemaURL": schema, **fields}))


def _run(run: Run, job: Name, job_facets: Json | None = None) -> Json:
    return {"run": {"runId": run.id, "facets": {}}, "job": {**_named(job), "facets": job_facets or {}}}


def _named(name: Name) -> Json:
    return {"namespace": name[0], "name": name[1]}


def _datasets(names: Iterable[DatasetName] | None) -> list[Json]:
    return [{"namespace": name.namespace, "name": name.name} for name in names or ()]


def _field(field: FieldBody) -> Json:
    described = {"name": field.name, "type": field.type, "description": field.description}
    return {key: text for key, text in described.items() if text is not None}


def _facet(schema: str, **content: Any) -> Json:
    return {"_producer": PRODUCER, "_schemaURL": f"{_SPEC}/facets/{schema}.json", **content}


def _own(name: str, **content: Any) -> Json:
    given = {key: value for key, value in content.items() if value is not None}
    return {"_producer": PRODUCER, "_schemaURL": f"urn:headwater:facet:{name}:1", **given}
