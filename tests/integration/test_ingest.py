"""POST /api/v1/lineage and /api/v1/lineage/batch: what is taken in and what comes back."""

import gzip
import json
import zlib
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.integration.samples import Event, dataset_event, job_event, recorded, run_event, run_ids
from tests.support.server import EVENTS, Server

_MIB = 1 << 20


@pytest.fixture
def server(shared_server: Server) -> Server:
    return shared_server


def all_events(server: Server) -> bytes:
    return b"".join(server.get(EVENTS, limit=1000, offset=start).content for start in range(0, server.total(), 1000))


def position(answer: httpx.Response) -> int:
    return int(answer.headers["headwater-position"])


# Single events


@pytest.mark.parametrize("event", [run_event(1), job_event(2), dataset_event(3)], ids=["run", "job", "dataset"])
def test_an_event_is_created_with_its_position(server: Server, event: Event) -> None:
    before = server.total()
    answer = server.post(event)
    assert (answer.status_code, answer.content) == (201, b"")
    assert position(answer) == before + 1 == server.total()
    assert event in server.events()


def test_a_duplicate_is_accepted_and_not_stored_twice(server: Server) -> None:
    event = run_event(4)
    first = server.post(event)
    stored = server.total()
    again = server.post(event)
    assert (again.status_code, position(again)) == (201, position(first))
    in_batch = server.post_batch([event, event])
    assert (in_batch.status_code, position(in_batch)) == (204, position(first))
    assert server.total() == stored


def test_sloppy_clients_are_understood(server: Server) -> None:
    event = run_event(5, run="not-a-uuid") | {"producer": "no uri at all"}
    del event["eventType"], event["schemaURL"]
    event["job"]["namespace"] = ""
    event["inputs"], event["outputs"][0]["facets"]["ownership"] = None, None
    assert server.post(event).status_code == 201
    assert server.json("/api/v1/jobs/runs/not-a-uuid")["state"] == "NEW"


def test_unknown_facets_and_fields_come_back_byte_for_byte(server: Server) -> None:
    event = json.dumps(run_event(6), indent=1, ensure_ascii=True)
    odd = '"odd" :\t{"n":1.50e+3, "u":"\\u00fc \\/ ü 🌊","same":1,"same":2,"big":123456789012345678901234567890}'
    text = event.replace('"eventType"', f'{odd},\n  "eventType"').replace('"nominalTime"', f'{odd} , "nominalTime"')
    text = text.replace('"columnLineage"', f'{odd},"columnLineage"').replace('"rowCount"', f'{odd},"rowCount"')
    sent = f"  {text}\n".encode()
    assert server.post(sent).status_code == 201
    assert sent in all_events(server)
    assert server.get(EVENTS).headers["content-type"] == "application/json"


@pytest.mark.parametrize("event", recorded()[::12], ids=lambda event: str(event["eventTime"]))
def test_recorded_events_come_back_unchanged(server: Server, event: Event) -> None:
    sent = json.dumps(event, ensure_ascii=False).encode()
    assert server.post(sent).status_code == 201
    assert sent in all_events(server)


# Batches


def test_a_batch_without_faults_is_answered_with_nothing(server: Server) -> None:
    before = server.total()
    events = [run_event(10), job_event(11), dataset_event(12)]
    answer = server.post_batch(events)
    assert (answer.status_code, answer.content, position(answer)) == (204, b"", before + 3)
    assert [e for e in server.events() if e in events] == events


def test_an_empty_batch_is_fine(server: Server) -> None:
    assert server.post_batch([]).status_code == 204


def test_a_batch_keeps_the_good_and_names_the_bad(server: Server) -> None:
    before = server.total()
    nameless = run_event(21)
    nameless["job"]["name"] = ""
    good = [run_event(20), dataset_event(22)]
    answer = server.post_batch([good[0], nameless, 7, good[1], {"eventTime": "never"}])
    body = answer.json()
    assert (answer.status_code, body["status"]) == (200, "partial_success")
    assert body["summary"] == {"received": 5, "successful": 2, "failed": 3, "retriable": 0, "non_retriable": 3}
    assert [(f["index"], f["retriable"]) for f in body["failed_events"]] == [(1, False), (2, False), (4, False)]
    assert "job.name" in body["failed_events"][0]["reason"]
    assert "eventTime" in body["failed_events"][2]["reason"]
    assert server.total() == before + 2 == position(answer)
    assert all(event in server.events() for event in good)


def test_a_batch_of_thousands(server: Server) -> None:
    before = server.total()
    events = [run_event(n, job=f"job_{n % 50}") for n in range(3000)]
    answer = server.post_batch(events)
    assert (answer.status_code, position(answer)) == (204, before + 3000)
    ids = run_ids(server.events())
    assert len(ids) == len(set(ids))
    assert set(run_ids(events)) <= set(ids)


# Bodies


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress], ids=["gzip", "deflate"])
def test_compressed_bodies(server: Server, pack: Any, request: pytest.FixtureRequest) -> None:
    name = "gzip" if pack is gzip.compress else "deflate"
    one, many = run_event(30), [run_event(31), run_event(32)]
    assert server.post(pack(json.dumps(one).encode()), **{"content-encoding": name}).status_code == 201
    assert server.post_batch(pack(json.dumps(many).encode()), **{"content-encoding": name}).status_code == 204
    assert set(run_ids([one, *many])) <= set(run_ids(server.events()))


def test_gzip_in_several_members_is_one_body(server: Server) -> None:
    """RFC 1952 allows it, and parallel compressors write it."""
    text = json.dumps(run_event(33)).encode()
    body = gzip.compress(text[:1000]) + gzip.compress(text[1000:])
    answer = server.post(body, **{"content-encoding": "gzip"})
    assert answer.status_code == 201, answer.text


def test_a_body_just_under_32_mib_is_accepted(server: Server) -> None:
    event = run_event(36) | {"eventTime": "2030-01-01T00:00:00Z"}
    event["run"]["facets"]["large"] = {"text": "x" * (31 * _MIB)}
    assert server.post(event).status_code == 201
    assert server.json(EVENTS, after=event["eventTime"])["events"] == [event]


# The real client


@pytest.mark.parametrize("compression", [None, "gzip"])
def test_events_of_the_python_client_arrive(server: Server, compression: str | None) -> None:
    from openlineage.client import OpenLineageClient, event_v2
    from openlineage.client.facet_v2 import nominal_time_run, schema_dataset
    from openlineage.client.transport.http import HttpConfig, HttpTransport

    config = {"url": server.url, "compression": compression} if compression else {"url": server.url}
    client = OpenLineageClient(transport=HttpTransport(HttpConfig.from_dict(config)))
    run_id, name = str(uuid4()), f"table-{compression}"
    table = event_v2.OutputDataset(
        namespace="s3://client",
        name=name,
        facets={"schema": schema_dataset.SchemaDatasetFacet([schema_dataset.SchemaDatasetFacetFields("id", "int")])},
    )
    job = event_v2.Job(namespace="client", name=f"job-{compression}")
    nominal = nominal_time_run.NominalTimeRunFacet("2026-11-15T00:00:00Z")
    client.emit(
        event_v2.RunEvent(
            eventTime="2026-11-15T00:00:01Z",
            producer="https://example.org/client",
            eventType=event_v2.RunState.COMPLETE,
            run=event_v2.Run(run_id, {"nominalTime": nominal}),
            job=job,
            outputs=[table],
        )
    )
    declared = event_v2.Job(namespace="client", name=f"declared-{compression}")
    client.emit(
        event_v2.JobEvent(eventTime="2026-11-15T00:00:02Z", producer="https://example.org/client", job=declared)
    )
    client.emit(
        event_v2.DatasetEvent(
            eventTime="2026-11-15T00:00:03Z",
            producer="https://example.org/client",
            dataset=event_v2.StaticDataset(namespace="s3://client", name=f"static-{name}"),
        )
    )
    client.close()
    run = server.json(f"/api/v1/jobs/runs/{run_id}")
    assert (run["state"], run["nominalStartTime"]) == ("COMPLETED", "2026-11-15T00:00:00Z")
    tables = {d["name"]: d for d in server.json("/api/v1/namespaces/s3:%2F%2Fclient/datasets")["datasets"]}
    assert tables[name]["fields"][0]["name"] == "id"
    assert f"static-{name}" in tables
    jobs = {j["name"] for j in server.json("/api/v1/namespaces/client/jobs")["jobs"]}
    assert {job.name, declared.name} <= jobs


def test_what_was_taken_in_and_refused_is_counted(server: Server) -> None:
    def counters() -> dict[str, float]:
        lines = server.get("/metrics").text.splitlines()
        return {n: float(v) for n, _, v in (line.rpartition(" ") for line in lines if not line.startswith("#"))}

    before = counters()
    event = run_event(50)
    server.post_batch([event, event, {}])
    server.post(b"nonsense")
    expected = {"accepted": 1, "duplicate": 1, "rejected": 2}
    after = counters()
    assert {
        k: after[f"headwater_events_{k}_total"] - before[f"headwater_events_{k}_total"] for k in expected
    } == expected
