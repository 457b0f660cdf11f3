"""Short ways to write OpenLineage events.

    run("START", "load", at=1, inputs=["raw"], outputs=[dataset("clean", schema("id", "name"))])

Names without a namespace are in `db` (datasets) and `jobs` (jobs). Times are minutes after
10 o'clock.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from headwater.ids import Micros
from headwater.model.changes import Ref
from headwater.model.edits import Deleted, Edit, Tagged, edit
from headwater.openlineage import timestamps

Json = dict[str, Any]
PRODUCER = "https://example.test/producer"
TEN = datetime(2026, 3, 2, 10, tzinfo=UTC)


def time(minutes: float) -> str:
    return (TEN + timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")


def facet(**content: Any) -> Json:
    return {"_producer": PRODUCER, "_schemaURL": "https://example.test/schema.json", **content}


def deleted() -> Json:
    return facet(_deleted=True)


def _name(name: str | tuple[str, str], namespace: str) -> Json:
    return (
        {"namespace": namespace, "name": name}
        if isinstance(name, str)
        else dict(zip(("namespace", "name"), name, strict=True))
    )


def dataset(name: str | tuple[str, str], facets: Json | None = None, **more: Any) -> Json:
    return {**_name(name, "db"), "facets": facets or {}, **more}


def _datasets(given: list[Any] | None) -> list[Json]:
    return [d if isinstance(d, dict) else dataset(d) for d in given or []]


def run(
    kind: str | None,
    job: str | tuple[str, str],
    at: float = 0,
    run_id: str = "run-1",
    inputs: list[Any] | None = None,
    outputs: list[Any] | None = None,
    facets: Json | None = None,
    job_facets: Json | None = None,
) -> Json:
    event: Json = {
        "eventTime": time(at),
        "producer": PRODUCER,
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run_id, "facets": facets or {}},
        "job": {**_name(job, "jobs"), "facets": job_facets or {}},
        "inputs": _datasets(inputs),
        "outputs": _datasets(outputs),
    }
    return event if kind is None else {"eventType": kind, **event}


def job_event(
    job: str,
    at: float = 0,
    facets: Json | None = None,
    inputs: list[Any] | None = None,
    outputs: list[Any] | None = None,
) -> Json:
    event = run(None, job, at, inputs=inputs, outputs=outputs, job_facets=facets)
    del event["run"]
    return event


def dataset_event(name: str | tuple[str, str], at: float = 0, facets: Json | None = None) -> Json:
    return {"eventTime": time(at), "producer": PRODUCER, "schemaURL": "x", "dataset": dataset(name, facets)}


def schema(*fields: str) -> Json:
    """`schema("id:INT", "name")`"""
    parts = [field.partition(":") for field in fields]
    return {"schema": facet(fields=[{"name": n, **({"type": t} if t else {})} for n, _, t in parts])}


def symlinks(*names: tuple[str, str]) -> Json:
    return {"symlinks": facet(identifiers=[{"namespace": ns, "name": n, "type": "TABLE"} for ns, n in names])}


def columns(indirect: list[str] | None = None, **fields: list[str]) -> Json:
    """`columns(total=["orders.price"], indirect=["orders.day"])`: names as `dataset.column`."""
    facets: Json = facet(
        fields={
            out: {"inputFields": [_input_field(i, "DIRECT", "IDENTITY") for i in inputs]}
            for out, inputs in fields.items()
        }
    )
    if indirect:
        facets["dataset"] = [_input_field(i, "INDIRECT", "FILTER") for i in indirect]
    return {"columnLineage": facets}


def _input_field(text: str, kind: str, subtype: str) -> Json:
    name, _, field = text.rpartition(".")
    return {
        "namespace": "db",
        "name": name,
        "field": field,
        "transformations": [{"type": kind, "subtype": subtype, "description": "", "masking": False}],
    }


def lifecycle(state: str, previous: str | None = None) -> Json:
    more = {"previousIdentifier": {"namespace": "db", "name": previous}} if previous else {}
    return {"lifecycleStateChange": facet(lifecycleStateChange=state, **more)}


def parent(job: str, run_id: str, root: tuple[str, str] | None = None) -> Json:
    more = {}
    if root:
        more["root"] = {"job": {"namespace": "jobs", "name": root[0]}, "run": {"runId": root[1]}}
    return {"parent": facet(job={"namespace": "jobs", "name": job}, run={"runId": run_id}, **more)}


def micros(minutes: float) -> Micros:
    """The same moment as `time`, as edits have it."""
    return timestamps.parse(time(minutes))


def job_ref(name: str) -> Ref:
    return ("job", "jobs", name)


def dataset_ref(name: str) -> Ref:
    return ("dataset", "db", name)


def deletion(*entities: Ref, at: float) -> Edit:
    return edit(Deleted(at=micros(at), entities=entities))


def tagging(entity: Ref, tag: str, at: float, field: str | None = None, on: bool = True) -> Edit:
    return edit(Tagged(at=micros(at), entity=entity, tag=tag, field=field, on=on))


def encoded(event: Json) -> bytes:
    return msgspec.json.encode(event)
