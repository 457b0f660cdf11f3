"""Headwater's own queries, sent to a running server."""

import socket
import threading
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from tests.support.make import columns, dataset, facet, run, schema, time
from tests.support.server import PATIENCE, MakeServer, Server, assert_error, wait_for

API = "/api/v1"
DAY = 24 * 60

# Namespaces and names as they occur, or might.
ODD = [
    ("kafka://host:9092", "topic"),
    ("s3://bucket", "path/to/table"),
    ("a b", "name with spaces"),
    ("emoji 🦆", "ünïcode/🌊"),
    ("colons:in:it", "and:in:the:name"),
    ("percent%2Fsign", "100%"),
    ("question?", "and#hash&and=equals+plus"),
]


def owned(*names: str) -> dict[str, Any]:
    return {"ownership": facet(owners=[{"name": name} for name in names])}


@pytest.fixture(scope="module")
def orders(shared_server: Server) -> Server:
    """raw → load → clean → sum → report, and a job that reads `old` first and `new` later."""
    clean = dataset("clean", {**schema("x:INT", "y"), **columns(x=["raw.x"], indirect=["raw.f"])})
    retyped = dataset("clean", {**schema("x:BIGINT", "z"), **columns(x=["raw.x"], indirect=["raw.f"])})
    events = [
        run("COMPLETE", "load", 0, "r1", ["raw"], [clean], job_facets=owned("team:orders")),
        run("COMPLETE", "load", 60, "r2", ["raw"], [retyped]),
        run("COMPLETE", "sum", 1, "r3", ["clean"], [dataset("report", columns(total=["clean.x"]))]),
    ]
    events += [
        run("COMPLETE", "switch", day * DAY, f"s{day}", ["old" if day < 5 else "new"], ["switched"])
        for day in range(10)
    ]
    for namespace, name in ODD:
        events.append(run("COMPLETE", (namespace, name), 0, f"odd {name}", [dataset((namespace, name))], ["sink"]))
    assert shared_server.post_batch(events).status_code == 204
    return shared_server


def ids(levels: list[dict[str, Any]]) -> dict[int, list[str]]:
    return {level["distance"]: [node["nodeId"] for node in level["nodes"]] for level in levels}


def test_impact_of_a_dataset(orders: Server) -> None:
    impact = orders.json(f"{API}/impact", nodeId="dataset:db:raw")
    assert ids(impact["levels"]) == {
        1: ["dataset:db:clean", "job:jobs:load"],
        2: ["dataset:db:report", "job:jobs:sum"],
    }
    assert (impact["jobs"], impact["datasets"], impact["owners"]) == (2, 2, {"team:orders": 1})
    load = impact["levels"][0]["nodes"][1]
    assert (load["use"], load["runs"], load["everySeconds"]) == ("DIRECT", 2, 3600.0)
    assert load["latestRun"]["id"] == "r2"


def test_impact_of_a_column_and_of_a_job(orders: Server) -> None:
    impact = orders.json(f"{API}/impact", nodeId="datasetField:db:raw:f")
    uses = {node["nodeId"]: node["use"] for level in impact["levels"] for node in level["nodes"]}
    assert uses["dataset:db:report"] == uses["datasetField:db:report:total"] == "INDIRECT"
    impact = orders.json(f"{API}/impact", nodeId="job:jobs:load", depth=0)
    assert ids(impact["levels"]) == {0: ["dataset:db:clean"]}


def test_impact_survives_a_restart(make_server: MakeServer, tmp_path: Path) -> None:
    server = make_server().start()
    for event in (run("COMPLETE", "load", n, f"r{n}", ["raw"], ["clean"]) for n in range(5)):
        server.post(event)
    before = server.json(f"{API}/impact", nodeId="dataset:db:raw")
    assert before["levels"][0]["nodes"][1]["runs"] == 5
    assert server.restart().json(f"{API}/impact", nodeId="dataset:db:raw") == before


def test_path_whichever_end_is_above(orders: Server) -> None:
    ends = "dataset:db:raw", "dataset:db:report"
    expected = {"dataset:db:raw", "job:jobs:load", "dataset:db:clean", "job:jobs:sum", "dataset:db:report"}
    for start, end in (ends, ends[::-1]):
        graph = orders.json(f"{API}/path", **{"from": start, "to": end})["graph"]
        assert {node["id"] for node in graph} == expected
    assert orders.json(f"{API}/path", **{"from": ends[0], "to": "dataset:db:switched"}) == {"graph": []}


def test_path_between_columns(orders: Server) -> None:
    ends = {"from": "datasetField:db:raw:x", "to": "datasetField:db:report:total"}
    graph = orders.json(f"{API}/path", **ends)["graph"]
    assert {node["id"] for node in graph} == {*ends.values(), "datasetField:db:clean:x"}
    whole = orders.json(f"{API}/path", **{"from": "dataset:db:raw", "to": "datasetField:db:report:total"})["graph"]
    assert {node["id"] for node in whole} > {node["id"] for node in graph}


@pytest.mark.parametrize("around", [{}, {"nodeId": "dataset:db:switched"}])
def test_diff_of_two_moments(orders: Server, around: dict[str, str]) -> None:
    moments = {"from": time(2 * DAY), "to": time(9 * DAY)}
    changes = orders.json(f"{API}/diff", **moments, **around)
    assert [node["nodeId"] for node in changes["nodes"]["added"]] == ["dataset:db:new"]
    assert [node["nodeId"] for node in changes["nodes"]["removed"]] == ["dataset:db:old"]
    assert changes["edges"]["removed"] == [{"origin": "dataset:db:old", "destination": "job:jobs:switch"}]
    back = orders.json(f"{API}/diff", **{"from": moments["to"], "to": moments["from"]}, **around)
    for part in ("nodes", "edges", "columns"):
        assert (back[part]["added"], back[part]["removed"]) == (changes[part]["removed"], changes[part]["added"])


def test_diff_of_schemas_until_now(orders: Server) -> None:
    changes = orders.json(f"{API}/diff", **{"from": time(30), "nodeId": "job:jobs:load"})
    assert changes["schemas"] == [
        {
            "nodeId": "dataset:db:clean",
            "at": time(60),
            "added": [{"name": "z", "type": None}],
            "removed": [{"name": "y", "type": None}],
            "retyped": [{"name": "x", "before": "INT", "after": "BIGINT"}],
        }
    ]


def test_diff_says_when_there_is_more(orders: Server) -> None:
    changes = orders.json(f"{API}/diff", **{"from": time(-1), "limit": 1})
    assert changes["truncated"]
    assert [len(part) for part in (changes["nodes"]["added"], changes["edges"]["added"])] == [1, 1]


def test_gaps_page_by_page(orders: Server) -> None:
    gaps = orders.json(f"{API}/gaps", kind="datasetsWithoutProducer", namespace="db")
    assert [node["name"] for node in gaps["nodes"]] == ["new", "old", "raw"]
    page = orders.json(f"{API}/gaps", kind="datasetsWithoutProducer", namespace="db", limit=1, offset=1)
    assert (page["totalCount"], [node["name"] for node in page["nodes"]]) == (3, ["old"])
    assert "job:jobs:load" not in [
        node["nodeId"] for node in orders.json(f"{API}/gaps", kind="jobsWithoutOwner", limit=1000)["nodes"]
    ]


@pytest.mark.parametrize(("namespace", "name"), ODD)
def test_odd_names_are_found_by_their_node_id(orders: Server, namespace: str, name: str) -> None:
    node, job = f"dataset:{namespace}:{name}", f"job:{namespace}:{name}"
    impact = orders.json(f"{API}/impact", nodeId=node)
    assert ids(impact["levels"]) == {1: ["dataset:db:sink", job]}
    graph = orders.json(f"{API}/path", **{"from": node, "to": job})["graph"]
    assert {n["id"] for n in graph} == {node, job}
    assert orders.json(f"{API}/diff", **{"from": time(-1), "nodeId": job})["nodeId"] == job
    assert orders.json(f"{API}/gaps", kind="datasetsWithoutProducer", namespace=namespace)["totalCount"] == 1


@pytest.mark.parametrize(
    ("code", "question"),
    [
        (404, "impact?nodeId=dataset:db:nothing"),
        (404, "impact?nodeId=datasetField:db:raw:nothing"),
        (404, "path?from=dataset:db:raw&to=job:jobs:nothing"),
        (404, f"diff?from={time(0)}&nodeId=job:nowhere:nothing"),
        (404, "impact?nodeId=job:%FF%FE:x"),
        (400, "impact"),
        (400, "impact?nodeId="),
        (400, "impact?nodeId=raw"),
        (400, "impact?nodeId=run:r1"),
        (400, "impact?nodeId=dataset:"),
        (400, "impact?nodeId=dataset:db:raw&depth=-1"),
        (400, "impact?nodeId=dataset:db:raw&limit=-1"),
        (400, "impact?nodeId=dataset:db:raw&limit=100001"),
        (400, "impact?nodeId=dataset:db:raw&depth=99999999999999999999"),
        (400, "impact?nodeId=dataset:db:raw&depth=many"),
        (400, "impact?nodeId=dataset:db:raw&at=yesterday"),
        (400, "path?from=dataset:db:raw"),
        (400, "path?from=raw&to=report"),
        (400, "diff"),
        (400, "diff?from=yesterday"),
        (400, f"diff?from={time(0)}&to=-1"),
        (400, f"diff?from={time(0)}&limit=-5"),
        (400, "gaps"),
        (400, "gaps?kind=everything"),
        (400, "gaps?kind=jobsWithoutOwner&offset=-1"),
        (400, f"lineage?nodeId=dataset:db:raw&since={time(2)}&until={time(1)}"),
        (400, f"column-lineage?nodeId=dataset:db:raw&since={time(2)}&until={time(1)}"),
        (400, f"lineage?nodeId=dataset:db:raw&at={time(2)}&until={time(1)}"),
    ],
)
def test_senseless_questions_get_the_one_error_shape(orders: Server, code: int, question: str) -> None:
    assert_error(orders.get(f"{API}/{question}"), code)


def test_an_unknown_name_is_answered_with_close_ones(orders: Server) -> None:
    assert "report" in assert_error(orders.get(f"{API}/impact", nodeId="dataset:db:reports"), 404)["message"]


def test_the_largest_depth_is_no_problem(orders: Server) -> None:
    assert orders.json(f"{API}/impact", nodeId="dataset:db:raw", depth=1 << 31)["datasets"] == 2


# Large graphs, the time limit, and clients that leave


def hub_events(jobs: int, outputs: int) -> list[dict[str, Any]]:
    """One dataset that many jobs read, each of which writes many."""
    return [
        run("COMPLETE", f"job{n}", n, f"r{n}", ["hub"], [f"out{n}.{m}" for m in range(outputs)]) for n in range(jobs)
    ]


def fill(server: Server, jobs: int, outputs: int = 500) -> None:
    for event in hub_events(jobs, outputs):
        assert server.post(event).status_code == 201


def metric(server: Server, name: str) -> float:
    lines = server.get("/metrics").text.splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(f"headwater_{name} "))


LARGE = f"{API}/lineage?nodeId=" + quote("dataset:db:hub")


def test_a_question_over_its_time_limit_ends_while_events_come_in(make_server: MakeServer) -> None:
    server = make_server(env={"HEADWATER_QUERY_SECONDS": "0.3"}).start()
    fill(server, 60)
    answers: list[httpx.Response] = []

    def ask() -> None:
        with httpx.Client(base_url=server.url, timeout=PATIENCE, trust_env=False) as client:
            answers.append(client.get(LARGE))

    asking = threading.Thread(target=ask)
    asking.start()
    posted = 0
    while asking.is_alive():
        assert server.post(run("COMPLETE", "beside", 0, f"beside {posted}", ["in"], ["out"])).status_code == 201
        posted += 1
    asking.join()
    assert "0.3 s" in assert_error(answers[0], 504)["message"]
    assert posted > 1
    assert metric(server, "queries_timed_out_total") == 1
    # Asked for less, it answers.
    assert len(server.json(f"{API}/lineage", nodeId="job:jobs:job0", depth=0, direction="upstream")["graph"]) == 2


def test_work_for_a_client_that_leaves_ends(make_server: MakeServer) -> None:
    server = make_server().start()
    fill(server, 100)
    with socket.create_connection(("127.0.0.1", server.port)) as leaving:
        leaving.sendall(f"GET {LARGE} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        wait_for(lambda: metric(server, "queries_running") == 2, "the question to be worked on")
    wait_for(lambda: metric(server, "queries_running") == 1, "the work to end")
    assert metric(server, "queries_abandoned_total") == 1


def test_a_large_graph_is_answered_whole_while_events_come_in(make_server: MakeServer) -> None:
    server = make_server().start()
    fill(server, 20)
    stop = threading.Event()
    posted: list[int] = []

    def post() -> None:
        with httpx.Client(base_url=server.url, timeout=PATIENCE, trust_env=False) as client:
            while not stop.is_set():
                event = run("COMPLETE", "beside", len(posted), f"b{len(posted)}", ["hub"], ["beside"])
                posted.append(client.post(f"{API}/lineage", json=event).status_code)

    posting = threading.Thread(target=post)
    posting.start()
    try:
        graph = server.json(f"{API}/lineage", nodeId="dataset:db:hub")["graph"]
        hit = server.json(f"{API}/impact", nodeId="dataset:db:hub", limit=20_000)
        # With the job beside, or without.
        assert len(graph) in (20 * 501 + 1, 20 * 501 + 3)
        assert hit["jobs"] + hit["datasets"] in (20 * 501, 20 * 501 + 2)
    finally:
        stop.set()
        posting.join()
    assert set(posted) == {201}


def test_what_was_deleted_is_in_no_answer_but_those_about_the_time_before(make_server: MakeServer) -> None:
    server = make_server().start()
    clean = dataset("clean", {**schema("x"), **columns(x=["raw.x"])})
    events = [
        run("COMPLETE", "load", 0, "r1", ["raw"], [clean]),
        run("COMPLETE", "sum", 1, "r2", ["clean"], [dataset("report", {**schema("x"), **columns(x=["clean.x"])})]),
    ]
    assert server.post_batch(events).status_code == 204
    ends = {"from": "dataset:db:raw", "to": "dataset:db:report"}
    queries: list[tuple[str, dict[str, str]]] = [
        ("impact", {"nodeId": "dataset:db:raw"}),
        ("impact", {"nodeId": "datasetField:db:raw:x"}),
        ("path", ends),
        ("path", {key: value.replace("dataset", "datasetField") + ":x" for key, value in ends.items()}),
        ("why", {"nodeId": "dataset:db:report"}),
        ("freshness", {"nodeId": "dataset:db:report"}),
    ]

    def then(path: str, parameters: dict[str, str]) -> Any:
        """Without what a path shows of the node itself, which is as of today."""
        answer = server.json(f"{API}/{path}", **parameters, at=time(5))
        return [{**node, "data": None} for node in answer["graph"]] if path == "path" else answer

    before = [then(path, parameters) for path, parameters in queries]
    assert server.client.delete(f"{API}/namespaces/db/datasets/clean").status_code == 200

    for path, parameters in queries:
        assert "clean" not in server.client.get(f"{API}/{path}", params=parameters).text
    assert [then(path, parameters) for path, parameters in queries] == before
    for path in ("impact", "why", "freshness"):
        gone = server.client.get(f"{API}/{path}", params={"nodeId": "dataset:db:clean"})
        assert assert_error(gone, 404)
        assert "Did you mean" not in gone.text
        assert server.json(f"{API}/{path}", nodeId="dataset:db:clean", at=time(5))
    assert server.json(f"{API}/path", **{**ends, "to": "dataset:db:clean"}, at=time(5))["graph"]
    for around in ({}, {"nodeId": "dataset:db:clean"}, {"nodeId": "dataset:db:raw"}):
        removed = server.json(f"{API}/diff", **{"from": time(5)}, **around)["nodes"]["removed"]
        assert "dataset:db:clean" in [node["nodeId"] for node in removed]
    gaps = server.json(f"{API}/gaps", kind="datasetsWithoutConsumer")["nodes"]
    assert [node["nodeId"] for node in gaps] == ["dataset:db:report"]
    linked = server.json(f"{API}/runlineage/upstream", runId="r2")["runs"]
    assert [(one["run"]["id"], one["inputs"]) for one in linked] == [("r2", [])]
    assert server.json(f"{API}/jobs/runs/r2")["inputDatasetVersions"] == []
