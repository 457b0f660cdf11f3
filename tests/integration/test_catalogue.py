"""What can be put, tagged and deleted over HTTP, and that it stays so."""

from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.integration.samples import KAFKA, LAKE, job_event, moment, run_event
from tests.support.server import EVENTS, Server, assert_error, differences, namespace_path, path_of, rebuild

API = "/api/v1"
LOAD = path_of("jobs", "orders-pipeline", "load")
DATASET = {"type": "DB_TABLE", "physicalName": "x", "sourceName": "src"}


def put(server: Server, path: str, body: Any) -> httpx.Response:
    return server.client.put(path, json=body)


def names(server: Server, path: str) -> list[str]:
    return [each["name"] for each in server.json(path)[path.rpartition("/")[2]]]


def node_ids(server: Server, node: str, **when: str) -> set[str]:
    return {each["id"] for each in server.json(f"{API}/lineage", nodeId=node, **when)["graph"]}


def load(server: Server, number: int = 0, **more: Any) -> None:
    """orders → load → the lake's table"""
    assert server.post(run_event(number, job="load", **more)).status_code == 201


# Deleting


def test_a_deleted_dataset_is_nowhere_and_was_there_before(server: Server) -> None:
    load(server)
    path, node = path_of("datasets", LAKE, "orders"), f"dataset:{LAKE}:orders"
    answer = server.client.delete(path)
    assert answer.status_code == 200
    assert (answer.json()["name"], answer.json()["deleted"]) == ("orders", True)
    assert int(answer.headers["headwater-position"]) == 2
    assert_error(server.get(path), 404)
    assert_error(server.client.delete(path), 404)
    assert_error(server.get(f"{API}/lineage", nodeId=node), 404)
    assert_error(server.get(f"{API}/column-lineage", nodeId=node), 404)
    assert names(server, f"{namespace_path(LAKE)}/datasets") == []
    assert server.json(LOAD)["outputs"] == []
    assert node_ids(server, "job:orders-pipeline:load") == {"job:orders-pipeline:load", f"dataset:{KAFKA}:orders"}
    columns = server.json(f"{API}/column-lineage", nodeId=f"dataset:{KAFKA}:orders", withDownstream=True)["graph"]
    assert {each["data"]["namespace"] for each in columns} == {KAFKA}
    assert node in node_ids(server, node, at=moment(1))
    assert node in node_ids(server, "job:orders-pipeline:load", until=moment(1))
    assert server.total() == 1


def test_what_is_seen_after_its_deletion_is_back(server: Server) -> None:
    load(server)
    assert server.client.delete(LOAD).status_code == 200
    load(server, 1)  # later than the first one, but before the deletion
    assert_error(server.get(LOAD), 404)
    assert names(server, f"{API}/jobs") == []
    later = run_event(2, job="load", target=(LAKE, "other")) | {"eventTime": "2099-01-01T00:00:00Z"}
    assert server.post(later).status_code == 201
    back = server.json(LOAD)
    assert [each["name"] for each in back["outputs"]] == ["other"]
    assert len(back["latestRuns"]) == 3
    assert f"dataset:{LAKE}:orders" not in node_ids(server, "job:orders-pipeline:load")


def test_who_deletes_what_comes_from_the_future_has_it_gone(server: Server) -> None:
    assert server.post(run_event(0, job="load") | {"eventTime": "2099-01-01T00:00:00Z"}).status_code == 201
    assert server.client.delete(LOAD).status_code == 200
    assert_error(server.get(LOAD), 404)
    assert put(server, LOAD, {"type": "BATCH"}).status_code == 200
    assert server.json(LOAD)["inputs"] == []
    assert server.client.delete(namespace_path("orders-pipeline")).status_code == 200
    assert_error(server.get(LOAD), 404)
    assert put(server, namespace_path("orders-pipeline"), {"ownerName": "me"}).status_code == 200
    assert names(server, f"{namespace_path('orders-pipeline')}/jobs") == []


def test_a_namespace_is_deleted_with_what_is_in_it(server: Server) -> None:
    load(server)
    answer = server.client.delete(namespace_path(LAKE))
    assert (answer.status_code, answer.json()["name"], answer.json()["isHidden"]) == (200, LAKE, True)
    assert_error(server.get(namespace_path(LAKE)), 404)
    assert_error(server.get(f"{namespace_path(LAKE)}/datasets"), 404)
    assert_error(server.client.delete(namespace_path(LAKE)), 404)
    assert LAKE not in names(server, f"{API}/namespaces")
    assert server.json(LOAD)["outputs"] == []
    load(server, 5, target=(LAKE, "late"))
    assert LAKE not in names(server, f"{API}/namespaces")
    assert put(server, namespace_path(LAKE), {"ownerName": "me"}).json()["isHidden"] is False
    assert names(server, f"{namespace_path(LAKE)}/datasets") == []


def test_a_dataset_is_deleted_under_all_its_names(server: Server) -> None:
    event = run_event(0, job="load")
    event["outputs"][0]["facets"]["symlinks"] = {
        "_producer": "x",
        "_schemaURL": "x",
        "identifiers": [{"namespace": "hive", "name": "default.orders", "type": "TABLE"}],
    }
    assert server.post(event).status_code == 201
    alias = path_of("datasets", "hive", "default.orders")
    assert server.client.delete(alias).json()["name"] == "orders"
    for path in (alias, path_of("datasets", LAKE, "orders")):
        assert_error(server.get(path), 404)


def test_all_of_it_is_there_after_a_restart_and_a_rebuild(server: Server) -> None:
    for number in range(3):
        load(server, number, target=(LAKE, f"table{number}"))
    server.post(job_event(5, job="declared"))
    changes = [
        put(server, namespace_path("new ns"), {"ownerName": "me", "description": "d"}),
        put(server, f"{API}/sources/src", {"type": "KAFKA", "connectionUrl": "kafka://x", "description": "d"}),
        put(server, f"{API}/tags/pii", {"description": "personal"}),
        put(server, path_of("datasets", "new ns", "made"), {**DATASET, "tags": ["gold"], "fields": [{"name": "x"}]}),
        put(server, path_of("jobs", "new ns", "job"), {"type": "STREAM", "tags": ["daily"]}),
        server.client.post(path_of("jobs", "new ns", "job") + "/runs", json={"id": "r-1", "args": {"a": "b"}}),
        server.client.post(f"{API}/jobs/runs/r-1/start"),
        server.client.post(f"{LOAD}/tags/watched"),
        server.client.post(path_of("datasets", LAKE, "table1") + "/fields/price/tags/money"),
        server.client.delete(path_of("datasets", LAKE, "table2")),
        server.client.delete(path_of("jobs", "orders-pipeline", "declared")),
    ]
    assert [answer.status_code // 100 for answer in changes] == [2] * len(changes)
    positions = [int(answer.headers["headwater-position"]) for answer in changes]
    assert positions == sorted(positions)
    before = server.answers()
    assert not differences(before, server.restart().answers())
    server.stop()
    rebuild(server.data)
    assert not differences(before, server.start().answers())
    assert server.json(f"{API}/jobs/runs/r-1")["args"] == {"a": "b"}
    assert_error(server.get(path_of("datasets", LAKE, "table2")), 404)
    assert server.json(LOAD)["tags"] == ["watched"]


# Tags


def test_tags_come_and_go(server: Server) -> None:
    load(server)
    table = path_of("datasets", LAKE, "orders")
    assert server.client.post(f"{table}/tags/gold").json()["tags"] == ["gold"]
    assert server.client.post(f"{table}/fields/price/tags/money").status_code == 200
    fields = {field["name"]: field["tags"] for field in server.json(table)["fields"]}
    assert fields == {"order_id": [], "supplier": [], "price": ["money"], "bid_time": []}
    (node,) = [n for n in server.json(f"{API}/lineage", nodeId=f"dataset:{LAKE}:orders")["graph"] if LAKE in n["id"]]
    assert node["data"]["tags"] == ["gold"]
    assert server.client.delete(f"{table}/tags/gold").json()["tags"] == []
    assert server.client.delete(f"{table}/tags/never").status_code == 200
    assert server.client.delete(f"{table}/fields/price/tags/money").status_code == 200
    assert all(field["tags"] == [] for field in server.json(table)["fields"])
    assert server.client.post(f"{LOAD}/tags/daily").json()["tags"] == ["daily"]
    assert server.client.delete(f"{LOAD}/tags/daily").json()["tags"] == []
    assert names(server, f"{API}/tags") == ["daily", "gold", "money"]
    assert_error(server.client.post(f"{table}/fields/nothing/tags/money"), 404)
    assert_error(server.client.post(path_of("datasets", LAKE, "nothing") + "/tags/x"), 404)
    assert_error(server.client.post(path_of("jobs", LAKE, "nothing") + "/tags/x"), 404)


# Jobs, versions, runs


def test_jobs_are_listed_by_the_state_of_their_last_run(server: Server) -> None:
    kinds = {"ran": "COMPLETE", "broke": "FAIL", "runs": "RUNNING", "ended": "ABORT", "waits": "OTHER"}
    for number, (job, kind) in enumerate(kinds.items()):
        assert server.post(run_event(number, kind, job=job)).status_code == 201
    assert server.post(job_event(9, job="declared")).status_code == 201

    def listed(*states: str, **more: int) -> tuple[list[str], int]:
        parameters: dict[str, Any] = {"lastRunStates": states, **more}
        for path in (f"{API}/jobs", f"{API}/namespaces/orders-pipeline/jobs"):
            page = server.client.get(path, params=parameters).json()
        return [job["name"] for job in page["jobs"]], page["totalCount"]

    assert listed() == (["declared", "waits", "ended", "runs", "broke", "ran"], 6)
    assert listed("FAILED") == (["broke"], 1)
    assert listed("FAILED", "COMPLETED", "NEW") == (["waits", "broke", "ran"], 3)
    assert listed("FAILED", "COMPLETED", "NEW", limit=1, offset=1) == (["broke"], 3)
    assert listed("RUNNING", "ABORTED") == (["ended", "runs"], 2)
    assert server.post(run_event(20, "COMPLETE", job="broke")).status_code == 201
    assert listed("FAILED") == ([], 0)
    assert server.client.delete(path_of("jobs", "orders-pipeline", "ran")).status_code == 200
    assert listed("COMPLETED") == (["broke"], 1)
    assert_error(server.get(f"{API}/jobs", lastRunStates="SLEEPING"), 400, "lastRunStates")


def test_versions_of_a_job(server: Server) -> None:
    for number, target in enumerate(("a", "b", "b", "a")):
        load(server, number, run=f"r{number}", target=(LAKE, target))
    versions = server.json(f"{LOAD}/versions")["versions"]
    assert [[out["name"] for out in version["outputs"]] for version in versions] == [["b"], ["a"]]
    assert [version["latestRun"]["id"] for version in versions] == ["r2", "r3"]
    assert [version["inputs"] for version in versions] == [[{"namespace": KAFKA, "name": "orders"}]] * 2
    assert server.json(f"{LOAD}/versions", limit=1, offset=1)["versions"] == versions[1:]
    assert server.json(f"{LOAD}/versions/{versions[0]['version']}") == versions[0]
    assert server.json(LOAD)["currentVersion"] == versions[1]["version"]
    assert server.json(f"{API}/jobs/runs/r2")["jobVersion"]["version"] == versions[0]["version"]
    for nobody in (str(uuid4()), "nonsense", versions[0]["version"][:-1]):
        assert_error(server.get(f"{LOAD}/versions/{nobody}"), 404)
    assert server.client.delete(path_of("datasets", LAKE, "b")).status_code == 200
    assert server.json(f"{LOAD}/versions")["versions"][0]["outputs"] == []


def test_one_version_of_a_dataset_by_id_and_by_name(server: Server) -> None:
    event = run_event(0, job="load", run="r0")
    event["outputs"][0]["facets"]["version"] = {"_producer": "x", "_schemaURL": "x", "datasetVersion": "v 7"}
    server.post(event)
    table = path_of("datasets", LAKE, "orders")
    (version,) = server.json(f"{table}/versions")["versions"]
    assert version["version"] == "v 7"
    assert version["createdByRun"]["id"] == "r0"
    assert server.json(f"{table}/versions/v%207") == version
    assert server.json(f"{table}/versions/{version['currentVersion']}") == version
    other = path_of("datasets", KAFKA, "orders")
    for path in (
        f"{other}/versions/{version['currentVersion']}",
        f"{table}/versions/v8",
        f"{table}/versions/{uuid4()}",
    ):
        assert_error(server.get(path), 404)


def test_run_actions_follow_the_rules_of_events(server: Server) -> None:
    load(server)
    made = server.client.post(f"{LOAD}/runs", json={"id": "a/b c"})
    assert made.status_code == 201
    assert server.client.get(made.headers["location"]).json() == made.json()
    run = f"{API}/jobs/runs/a%2Fb%20c"
    assert (
        server.client.post(f"{run}/complete", params={"at": "2026-11-15T10:00:00+01:00"}).json()["state"] == "COMPLETED"
    )
    late = server.client.post(f"{run}/start", params={"at": "2026-11-15T08:59:00Z"}).json()
    assert (late["state"], late["startedAt"], late["durationMs"]) == ("COMPLETED", "2026-11-15T08:59:00Z", 60_000)
    assert [step["type"] for step in late["states"]] == ["START", "COMPLETE", "OTHER"]
    assert server.json(LOAD)["outputs"] != []  # a step without datasets wipes nothing
    producers = {event["producer"] for event in server.json(EVENTS)["events"] if event["run"]["runId"] == "a/b c"}
    assert len(producers) == 1
    assert "headwater" in producers.pop()


# Statistics


def test_statistics_count_what_is_there(server: Server) -> None:
    stats = {"period": "DAY", "timezone": "Asia/Kathmandu"}

    def totals() -> dict[str, int]:
        return {
            kind: server.json(f"{API}/stats/{kind}", **stats)[-1]["count"] for kind in ("jobs", "datasets", "sources")
        }

    load(server)
    assert totals() == {"jobs": 1, "datasets": 2, "sources": 2}
    put(server, namespace_path("now"), {"ownerName": "me"})
    put(server, path_of("jobs", "now", "job"), {"type": "BATCH"})
    put(server, f"{API}/sources/src", {"type": "X", "connectionUrl": "x"})
    for kind in ("start", "start", "complete", "fail", "abort", "abort"):
        run = server.client.post(path_of("jobs", "now", "job") + "/runs", json={}).json()["id"]
        assert server.client.post(f"{API}/jobs/runs/{run}/{kind}").status_code == 200
    assert totals() == {"jobs": 2, "datasets": 2, "sources": 3}
    expected = {"start": 2, "complete": 1, "fail": 1, "abort": 2}
    for parameters, length in ((stats, 24), ({"period": "WEEK", "timezone": "America/St_Johns"}, 7)):
        for _ in range(2):
            intervals = server.json(f"{API}/stats/lineage-events", **parameters)
            assert len(intervals) == length
            assert {kind: sum(each[kind] for each in intervals) for kind in expected} == expected
            server.restart()
    assert server.json(f"{API}/stats/jobs", **stats)[0]["count"] >= 1  # the event of long ago
    server.client.delete(path_of("jobs", "now", "job"))
    assert totals()["jobs"] == 1


# Bad input


PUT_DATASET, PUT_JOB = path_of("datasets", "ns", "d"), path_of("jobs", "ns", "j")
BAD = [
    ("PUT", f"{API}/namespaces/ns", {}, "ownerName"),
    ("PUT", f"{API}/namespaces/ns", {"ownerName": ""}, "ownerName"),
    ("PUT", f"{API}/namespaces/ns", {"ownerName": 1}, "ownerName"),
    ("PUT", f"{API}/namespaces/ns", {"ownerName": "x", "owner_name": "x"}, "owner_name"),
    ("PUT", f"{API}/namespaces/ns", {"ownerName": "x", "description": []}, "description"),
    ("PUT", f"{API}/namespaces/ns", [], "$"),
    ("PUT", f"{API}/namespaces/ns", None, "$"),
    ("PUT", f"{API}/sources/s", {"type": "X"}, "connectionUrl"),
    ("PUT", f"{API}/sources/s", {"type": "X", "connectionUrl": "x", "x": 1}, "x"),
    ("PUT", f"{API}/tags/t", {"description": 3}, "description"),
    ("PUT", PUT_DATASET, {**DATASET, "type": "TABLE"}, "type"),
    ("PUT", PUT_DATASET, {**DATASET, "fields": [{"name": "a"}, {"type": "b"}]}, "fields[1].name"),
    ("PUT", PUT_DATASET, {**DATASET, "fields": [{"name": "a", "kind": "b"}]}, "fields[0].kind"),
    ("PUT", PUT_DATASET, {**DATASET, "tags": [""]}, "tags[0]"),
    ("PUT", PUT_DATASET, {**DATASET, "type": "STREAM"}, "schemaLocation"),
    ("PUT", PUT_JOB, {"type": "STREAMING"}, "type"),
    ("PUT", PUT_JOB, {"type": "BATCH", "inputs": "x"}, "inputs"),
    ("PUT", PUT_JOB, {"type": "BATCH", "context": {"a": 1}}, "context[...]"),
    ("POST", f"{PUT_JOB}/runs", {"nominalStartTime": "tomorrow"}, "nominalStartTime"),
    ("POST", f"{PUT_JOB}/runs", {"nominalEndTime": "0001-01-01T00:00:00+23:00"}, "nominalEndTime"),
    ("POST", f"{PUT_JOB}/runs", {"args": {"a": 1}}, "args[...]"),
    ("POST", f"{PUT_JOB}/runs", {"id": ""}, "id"),
    ("POST", f"{PUT_JOB}/runs", {"id": "taken"}, "id"),
    ("POST", f"{API}/jobs/runs/taken/start?at=noon", None, "at"),
    ("GET", f"{API}/stats/jobs?period=YEAR", None, "period"),
    ("GET", f"{API}/stats/lineage-events?period=WEEK", None, "timezone"),
    ("GET", f"{API}/stats/sources?period=WEEK&timezone=Nowhere", None, "timezone"),
    ("GET", f"{API}/tags?limit=-1", None, "limit"),
]


@pytest.fixture(scope="module")
def catalogue(shared_server: Server) -> Server:
    put(shared_server, f"{API}/namespaces/ns", {"ownerName": "me"})
    put(shared_server, f"{API}/sources/src", {"type": "X", "connectionUrl": "x"})
    put(shared_server, PUT_JOB, {"type": "BATCH"})
    assert shared_server.client.post(f"{PUT_JOB}/runs", json={"id": "taken"}).status_code == 201
    return shared_server


@pytest.mark.parametrize(("method", "path", "body", "field"), BAD)
def test_bad_input_is_refused_with_the_field_that_is_to_blame(
    catalogue: Server, method: str, path: str, body: Any, field: str
) -> None:
    position = catalogue.json("/healthz")["position"]
    answer = catalogue.client.request(method, path, **({} if body is None else {"json": body}))
    assert_error(answer, 400, field)
    assert catalogue.json("/healthz")["position"] == position


UNKNOWN = [
    ("GET", namespace_path("nobody"), None),
    ("DELETE", namespace_path("nobody"), None),
    ("GET", f"{API}/sources/nobody", None),
    ("PUT", path_of("datasets", "nobody", "d"), DATASET),
    ("PUT", PUT_DATASET, {**DATASET, "sourceName": "nobody"}),
    ("PUT", PUT_DATASET, {**DATASET, "runId": "nobody"}),
    ("DELETE", path_of("datasets", "ns", "nobody"), None),
    ("PUT", path_of("jobs", "nobody", "j"), {"type": "BATCH"}),
    ("PUT", PUT_JOB, {"type": "BATCH", "inputs": [{"namespace": "ns", "name": "nobody"}]}),
    ("PUT", PUT_JOB, {"type": "BATCH", "runId": "nobody"}),
    ("PUT", path_of("jobs", "ns", "other"), {"type": "BATCH", "runId": "taken"}),
    ("DELETE", path_of("jobs", "ns", "nobody"), None),
    ("GET", path_of("jobs", "ns", "nobody") + "/versions", None),
    ("POST", path_of("jobs", "ns", "nobody") + "/runs", {}),
    ("POST", f"{API}/jobs/runs/nobody/start", None),
    ("POST", f"{API}/jobs/runs/nobody/abort", None),
    ("POST", f"{API}/jobs/runs/taken/pause", None),
]


@pytest.mark.parametrize(("method", "path", "body"), UNKNOWN)
def test_what_does_not_exist_is_404(catalogue: Server, method: str, path: str, body: Any) -> None:
    position = catalogue.json("/healthz")["position"]
    assert_error(catalogue.client.request(method, path, **({} if body is None else {"json": body})), 404)
    assert catalogue.json("/healthz")["position"] == position


@pytest.mark.parametrize("body", [b"{", b"\xff", b'{"ownerName": "\\ud800"}', b"ownerName=me", b"[" * 100_000])
def test_a_body_that_is_no_json_is_refused(catalogue: Server, body: bytes) -> None:
    assert_error(catalogue.client.put(f"{API}/namespaces/ns", content=body), 400)
