"""OpenLineage's own Python client: both transports, compressed, with every kind of event."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from openlineage.client import OpenLineageClient, event_v2
from openlineage.client.facet_v2 import (
    column_lineage_dataset,
    error_message_run,
    nominal_time_run,
    output_statistics_output_dataset,
    schema_dataset,
    tags_job,
)
from openlineage.client.transport.async_http import AsyncHttpConfig, AsyncHttpTransport
from openlineage.client.transport.http import HttpConfig, HttpTransport
from openlineage.client.uuid import generate_new_uuid

from tests.support.server import Server

PRODUCER = "https://example.org/producer"
STEPS = ("START", "RUNNING", "OTHER", "COMPLETE")
Transports = Callable[[str], Any]


def _sync(url: str) -> Any:
    return HttpTransport(HttpConfig.from_dict({"url": url, "compression": "gzip"}))


def _async(url: str) -> Any:
    return AsyncHttpTransport(AsyncHttpConfig.from_dict({"url": url, "compression": "gzip"}))


@pytest.fixture(params=[_sync, _async], ids=["sync", "async"])
def client(request: pytest.FixtureRequest, shared_server: Server, monkeypatch: pytest.MonkeyPatch) -> OpenLineageClient:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return OpenLineageClient(transport=request.param(shared_server.url))


def event(kind: str, run_id: str, job: event_v2.Job, second: int, **more: Any) -> event_v2.RunEvent:
    return event_v2.RunEvent(
        eventTime=f"2026-11-15T00:00:{second:02}Z",
        producer=PRODUCER,
        eventType=event_v2.RunState[kind],
        run=event_v2.Run(run_id, more.pop("facets", {})),
        job=job,
        **more,
    )


def datasets(name: str) -> tuple[event_v2.InputDataset, event_v2.OutputDataset]:
    fields = schema_dataset.SchemaDatasetFacet([schema_dataset.SchemaDatasetFacetFields("id", "int")])
    copied = column_lineage_dataset.ColumnLineageDatasetFacet(
        {"id": column_lineage_dataset.Fields([column_lineage_dataset.InputField("kafka://host:9092", name, "id")])}
    )
    written = output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(rowCount=3)
    return (
        event_v2.InputDataset(namespace="kafka://host:9092", name=name, facets={"schema": fields}),
        event_v2.OutputDataset(
            namespace="s3://warehouse",
            name=name,
            facets={"schema": fields, "columnLineage": copied},
            outputFacets={"outputStatistics": written},
        ),
    )


def test_every_kind_of_event_arrives(client: OpenLineageClient, shared_server: Server) -> None:
    name = f"job-{uuid4()}"
    tags = tags_job.TagsJobFacet([tags_job.TagsJobFacetFields("team", "data", "CONFIG")])
    job = event_v2.Job(namespace="clients", name=name, facets={"tags": tags})
    source, target = datasets(name)
    before = shared_server.total()
    run_id, failed, aborted = (str(generate_new_uuid()) for _ in range(3))
    nominal = nominal_time_run.NominalTimeRunFacet("2026-11-15T00:00:00Z", "2026-11-16T00:00:00Z")
    error = error_message_run.ErrorMessageRunFacet("it broke", "PYTHON")
    for second, kind in enumerate(STEPS):
        client.emit(
            event(kind, run_id, job, second, inputs=[source], outputs=[target], facets={"nominalTime": nominal})
        )
    client.emit(event("START", failed, job, 10))
    client.emit(event("FAIL", failed, job, 11, facets={"errorMessage": error}))
    client.emit(event("START", aborted, job, 20))
    client.emit(event("ABORT", aborted, job, 21))
    client.emit(
        event_v2.JobEvent(
            eventTime="2026-11-15T00:00:30Z",
            producer=PRODUCER,
            job=event_v2.Job(namespace="clients", name=f"declared-{name}"),
            inputs=[source],
            outputs=[target],
        )
    )
    client.emit(
        event_v2.DatasetEvent(
            eventTime="2026-11-15T00:00:40Z",
            producer=PRODUCER,
            dataset=event_v2.StaticDataset(namespace="s3://warehouse", name=f"static-{name}"),
        )
    )
    client.close()
    assert shared_server.total() == before + 10

    run = shared_server.json(f"/api/v1/jobs/runs/{run_id}")
    assert (run["state"], run["durationMs"]) == ("COMPLETED", 3000)
    assert [step["type"] for step in run["states"]] == list(STEPS)
    assert run["nominalEndTime"] == "2026-11-16T00:00:00Z"
    assert run["outputDatasetVersions"][0]["facets"]["outputStatistics"]["rowCount"] == 3
    states = {each: shared_server.json(f"/api/v1/jobs/runs/{each}")["state"] for each in (failed, aborted)}
    assert states == {failed: "FAILED", aborted: "ABORTED"}
    facets = shared_server.json(f"/api/v1/jobs/runs/{failed}/facets", type="run")["facets"]
    assert facets["errorMessage"]["message"] == "it broke"

    job = shared_server.json(f"/api/v1/namespaces/clients/jobs/{name}")
    assert (job["tags"], job["latestRun"]["id"]) == (["team:data"], aborted)
    graph = shared_server.json("/api/v1/lineage", nodeId=f"job:clients:{name}")["graph"]
    assert {f"job:clients:declared-{name}", f"dataset:s3://warehouse:{name}"} <= {node["id"] for node in graph}
    columns = shared_server.json("/api/v1/column-lineage", nodeId=f"datasetField:s3://warehouse:{name}:id")["graph"]
    assert f"datasetField:kafka://host:9092:{name}:id" in {node["id"] for node in columns}
    static = f"/api/v1/namespaces/s3%3A%2F%2Fwarehouse/datasets/static-{name}"
    assert shared_server.json(static)["lastModifiedAt"] == "2026-11-15T00:00:40Z"
