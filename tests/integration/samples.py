"""Realistic events: an orders pipeline with schemas, column lineage, sources and nominal times."""

import json
from collections.abc import Sequence
from importlib import resources
from typing import Any
from uuid import UUID, uuid4

Event = dict[str, Any]

PRODUCER = "https://github.com/OpenLineage/OpenLineage/tree/1.53.0/integration/spark"
_SPEC = "https://openlineage.io/spec"
KAFKA, LAKE, JOBS = "kafka://broker-1:9092", "s3://warehouse", "orders-pipeline"
COLUMNS = (("order_id", "string"), ("supplier", "string"), ("price", "decimal(10,2)"), ("bid_time", "timestamp"))


def facet(schema: str, **fields: Any) -> dict[str, Any]:
    return {"_producer": PRODUCER, "_schemaURL": f"{_SPEC}/facets/{schema}", **fields}


def schema(columns: Sequence[tuple[str, str]] = COLUMNS) -> dict[str, Any]:
    return facet("1-1-1/SchemaDatasetFacet.json", fields=[{"name": n, "type": t} for n, t in columns])


def column_lineage(source: tuple[str, str], columns: Sequence[tuple[str, str]] = COLUMNS) -> dict[str, Any]:
    """Each column comes from the one of the same name."""
    namespace, name = source
    identity = {"type": "DIRECT", "subtype": "IDENTITY", "description": "", "masking": False}
    return facet(
        "1-2-0/ColumnLineageDatasetFacet.json",
        fields={
            column: {
                "inputFields": [{"namespace": namespace, "name": name, "field": column, "transformations": [identity]}]
            }
            for column, _ in columns
        },
    )


def dataset(namespace: str, name: str, **facets: Any) -> dict[str, Any]:
    source = facet("1-0-1/DatasourceDatasetFacet.json", name=namespace, uri=namespace)
    return {"namespace": namespace, "name": name, "facets": {"schema": schema(), "dataSource": source, **facets}}


def moment(number: int) -> str:
    """Moments that grow with the number, one second apart."""
    days, seconds = divmod(number, 86_400)
    return f"2026-11-{1 + days:02}T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.000Z"


def run_event(
    number: int = 0,
    kind: str = "COMPLETE",
    *,
    job: str = "orders_to_lake",
    run: UUID | str | None = None,
    source: tuple[str, str] = (KAFKA, "orders"),
    target: tuple[str, str] = (LAKE, "orders"),
) -> Event:
    """One run of a job that copies a topic to a table."""
    nominal = facet(
        "1-0-1/NominalTimeRunFacet.json", nominalStartTime=moment(number), nominalEndTime=moment(number + 1)
    )
    return {
        "eventType": kind,
        "eventTime": moment(number),
        "producer": PRODUCER,
        "schemaURL": f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": str(run or uuid4()), "facets": {"nominalTime": nominal}},
        "job": {
            "namespace": JOBS,
            "name": job,
            "facets": {"jobType": facet("2-0-3/JobTypeJobFacet.json", processingType="BATCH", integration="SPARK")},
        },
        "inputs": [dataset(*source)],
        "outputs": [
            {
                **dataset(*target, columnLineage=column_lineage(source)),
                "outputFacets": {
                    "outputStatistics": facet("1-0-2/OutputStatisticsOutputDatasetFacet.json", rowCount=number)
                },
            }
        ],
    }


def job_event(number: int = 0, *, job: str = "declared_job") -> Event:
    event = run_event(number, job=job)
    del event["eventType"], event["run"]
    return event | {"schemaURL": f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/JobEvent"}


def dataset_event(number: int = 0, *, name: str = "declared_table") -> Event:
    return {
        "eventTime": moment(number),
        "producer": PRODUCER,
        "schemaURL": f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/DatasetEvent",
        "dataset": dataset(LAKE, name),
    }


def recorded() -> list[Event]:
    """The events of real Spark and Flink jobs that come with the package."""
    files = sorted(resources.files("headwater.demo").iterdir(), key=lambda f: f.name)
    lines = [line for f in files if f.name.endswith(".jsonl") for line in f.read_text().splitlines()]
    return [json.loads(line) for line in lines if line.strip()]


def run_ids(events: Sequence[Event]) -> list[str]:
    return [event["run"]["runId"] for event in events if "run" in event]
