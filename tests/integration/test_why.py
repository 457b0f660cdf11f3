"""Why, freshness and the lineage of runs, from a running server."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import headwater.demo
from tests.support import story
from tests.support.make import dataset, facet, lifecycle, run, schema, time
from tests.support.server import Server, assert_error

NINE = story.time(0, 9)
DASHBOARD = "dataset:db:dashboard"


@pytest.fixture(scope="module")
def story_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server after the bad night."""
    server = Server(tmp_path_factory.mktemp("why") / "data")
    try:
        server.start()
        assert server.post_batch(story.bad_night() + story.unrelated()).status_code == 204
        yield server
    finally:
        server.end()


def why(server: Server, node_id: str, **parameters: Any) -> Any:
    return server.json("/api/v1/why", nodeId=node_id, **parameters)


def kinds(answer: Any) -> list[str]:
    return [f"{s['kind']} {s['nodeId'].rpartition(':')[2]}" for s in answer["suspects"]]


# Why


def test_the_dashboard_of_nine_o_clock(story_server: Server) -> None:
    answer = why(story_server, DASHBOARD, at=NINE)
    assert kinds(answer) == [
        "SCHEMA_CHANGED orders",
        "RUN_STUCK exchange",
        "STATISTIC_JUMPED refunds",
        "RUN_FAILED clean",
        "RUN_LATE total",
        "RUN_LATE publish",
    ]
    assert answer["nodeId"] == DASHBOARD
    assert answer["at"] == "2026-03-02T09:00:00Z"
    assert answer["since"] == "2026-02-23T09:00:00Z"
    assert answer["truncated"] is False
    assert answer["examined"] == {"jobs": 6, "datasets": 9, "runs": 8 * 5 + 3 + 1}
    suspicion = [s["suspicion"] for s in answer["suspects"]]
    assert suspicion == sorted(suspicion, reverse=True)
    assert all(0 < s <= 1 for s in suspicion)
    assert answer["suspects"][0]["evidence"] == {"retyped": [{"name": "price", "before": "DOUBLE", "after": "STRING"}]}
    failed = answer["suspects"][3]["evidence"]
    assert failed["error"].startswith("NumberFormatException")
    history = story_server.json("/api/v1/jobs/runs/clean%200")["states"]
    assert failed["positions"] == [s["position"] for s in history if s["type"] == "FAIL"]


def test_why_of_columns_jobs_and_runs(story_server: Server) -> None:
    assert kinds(why(story_server, "datasetField:db:dashboard:orders", at=NINE))[:2] == [
        "SCHEMA_CHANGED orders",
        "RUN_FAILED clean",
    ]
    assert kinds(why(story_server, "job:jobs:exchange", at=NINE)) == ["RUN_STUCK exchange"]
    answer = why(story_server, "run:clean 0")
    assert kinds(answer) == ["RUN_FAILED clean", "SCHEMA_CHANGED orders"]
    assert answer["at"] == "2026-03-02T03:12:00Z"  # of a run that is over, its end
    assert answer["nodeId"] == "run:clean 0"
    assert kinds(why(story_server, "run:clean 0", at=story.time(0, 2.9))) == ["SCHEMA_CHANGED orders"]
    assert kinds(why(story_server, "run:clean -1")) == []


def test_limit_depth_and_since(story_server: Server) -> None:
    assert len(why(story_server, DASHBOARD, at=NINE, limit=2)["suspects"]) == 2
    assert why(story_server, DASHBOARD, at=NINE, limit=0)["suspects"] == []
    assert kinds(why(story_server, DASHBOARD, at=NINE, depth=1)) == ["RUN_LATE publish"]
    assert "SCHEMA_CHANGED orders" not in kinds(why(story_server, DASHBOARD, at=NINE, since=story.time(0, 5)))


def test_the_far_past_has_no_suspects(story_server: Server) -> None:
    answer = why(story_server, DASHBOARD, at="0002-01-01T00:00:00Z")
    assert answer["suspects"] == []
    assert answer["examined"]["runs"] == 0


def test_why_at_the_beginning_of_time(story_server: Server) -> None:
    assert why(story_server, DASHBOARD, at="0001-01-01T00:00:00Z")["suspects"] == []


def test_the_future_counts_as_the_present(story_server: Server) -> None:
    assert why(story_server, DASHBOARD, at="9999-12-31T23:59:59Z")["at"] < "9999"
    assert why(story_server, DASHBOARD)["at"] >= "2026"


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ({}, 400),
        ({"nodeId": "dashboard"}, 400),
        ({"nodeId": ""}, 400),
        ({"nodeId": "run:"}, 400),
        ({"nodeId": "table:db:dashboard"}, 400),
        ({"nodeId": "dataset:dashboard"}, 400),
        ({"nodeId": DASHBOARD, "at": "yesterday"}, 400),
        ({"nodeId": DASHBOARD, "at": NINE, "since": "2026-03-03T00:00:00Z"}, 400),
        ({"nodeId": DASHBOARD, "limit": -1}, 400),
        ({"nodeId": DASHBOARD, "limit": 1001}, 400),
        ({"nodeId": DASHBOARD, "depth": -1}, 400),
        ({"nodeId": "dataset:db:dashbord"}, 404),
        ({"nodeId": "job:jobs:publsh"}, 404),
        ({"nodeId": "datasetField:db:dashboard:nothing"}, 404),
        ({"nodeId": "run:nobody"}, 404),
        ({"nodeId": "run:ünï 😀/#?%"}, 404),
    ],
)
def test_what_makes_no_sense_or_is_not_there(story_server: Server, parameters: dict[str, Any], code: int) -> None:
    body = assert_error(story_server.get("/api/v1/why", **parameters), code)
    if "dashbord" in str(parameters):
        assert "Did you mean dashboard" in body["message"]


def test_an_event_that_was_just_accepted_is_taken_into_account(server: Server) -> None:
    server.post(run("START", "load", 0, "r", ["raw"], ["out"]))
    assert kinds(why(server, "dataset:db:out", at=time(1))) == []
    server.post(run("FAIL", "load", 1, "r", facets={"errorMessage": facet(message="it broke", stackTrace="at x")}))
    (suspect,) = why(server, "dataset:db:out", at=time(1))["suspects"]
    assert suspect["summary"] == "Job load failed at 2026-03-02 10:01:00 UTC: it broke."
    assert suspect["evidence"]["error"] == "it broke\nat x"


def test_a_renamed_and_a_dropped_input(server: Server) -> None:
    server.post_batch(
        [
            run("COMPLETE", "load", 0, "r", ["raw", "other"], ["out"]),
            {**_dataset_event("new"), "eventTime": time(5)},
            {**_dataset_event("other", lifecycle("DROP")), "eventTime": time(6)},
        ]
    )
    answer = why(server, "dataset:db:out", at=time(10))
    assert sorted(kinds(answer)) == ["DATASET_DROPPED other", "DATASET_RENAMED new"]


def _dataset_event(name: str, facets: Any = None) -> Any:
    facets = facets or lifecycle("RENAME", previous="raw")
    return {"producer": "x", "schemaURL": "x", "dataset": {"namespace": "db", "name": name, "facets": facets}}


def test_a_broad_graph_is_looked_at_in_part_and_says_so(server: Server) -> None:
    events = [run("COMPLETE", f"j{n}", 0, f"r{n}", [f"in{n}"], ["out"]) for n in range(300)]
    for start in range(0, 300, 100):
        assert server.post_batch(events[start : start + 100]).status_code == 204
    answer = why(server, "dataset:db:out", at=time(1))
    assert answer["truncated"] is True
    assert answer["examined"]["jobs"] == 200


def test_the_answer_is_the_same_after_a_restart(make_server: Any) -> None:
    server = make_server().start()
    assert server.post_batch(story.bad_night()).status_code == 204
    before = why(server, DASHBOARD, at=NINE)
    server.restart()
    assert why(server, DASHBOARD, at=NINE) == before


# Freshness


def fresh(server: Server, node_id: str, **parameters: Any) -> Any:
    return server.json("/api/v1/freshness", nodeId=node_id, **parameters)


def test_how_fresh_the_dashboard_is(story_server: Server) -> None:
    answer = fresh(story_server, DASHBOARD, at=NINE)
    inputs = answer.pop("inputs")
    assert answer == {
        "nodeId": DASHBOARD,
        "at": "2026-03-02T09:00:00Z",
        "lastWrittenAt": "2026-03-01T05:15:00Z",
        "ageSeconds": 27.75 * 3600,
        "job": "job:jobs:publish",
        "run": {
            "id": "publish -1",
            "state": "COMPLETED",
            "startedAt": "2026-03-01T05:00:00Z",
            "endedAt": "2026-03-01T05:15:00Z",
            "durationMs": 900_000,
        },
        "everySeconds": 86_400,
        "expectedAt": "2026-03-02T05:15:00Z",
        "late": True,
        "truncated": False,
    }
    assert [(i["nodeId"], i["late"]) for i in inputs] == [("dataset:db:totals", True)]


def test_inputs_come_with_the_oldest_first(story_server: Server) -> None:
    inputs = fresh(story_server, "dataset:db:totals", at=NINE)["inputs"]
    assert [i["name"] for i in inputs] == ["prices", "rates", "refunds"]
    assert [i["lastWrittenAt"] for i in inputs] == [
        "2026-03-01T03:15:00Z",
        "2026-03-02T02:00:00Z",
        "2026-03-02T02:45:00Z",
    ]
    assert [i["late"] for i in inputs] == [True, True, False]


def test_a_stream_is_as_fresh_as_its_last_sign(story_server: Server) -> None:
    answer = fresh(story_server, "dataset:db:rates", at=story.time(0, 2.25))
    assert (answer["lastWrittenAt"], answer["everySeconds"], answer["late"]) == ("2026-03-02T02:00:00Z", 1800, False)
    assert answer["run"]["state"] == "RUNNING"
    assert answer["run"]["endedAt"] is None


def test_at_another_moment(story_server: Server) -> None:
    answer = fresh(story_server, DASHBOARD, at=story.time(-3, 5.1))
    assert answer["lastWrittenAt"] == story.time(-4, 5.25)
    assert answer["late"] is False


def test_a_dataset_that_nobody_writes_has_no_age(story_server: Server) -> None:
    answer = fresh(story_server, "dataset:db:raw", at=NINE)
    assert (answer["lastWrittenAt"], answer["job"], answer["late"], answer["inputs"]) == (None, None, False, [])
    inputs = fresh(story_server, "dataset:db:orders", at=NINE)["inputs"]
    assert [(i["name"], i["ageSeconds"]) for i in inputs] == [("raw", None)]


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ({}, 400),
        ({"nodeId": "job:jobs:publish"}, 400),
        ({"nodeId": "run:clean 0"}, 400),
        ({"nodeId": DASHBOARD, "at": "soon"}, 400),
        ({"nodeId": "dataset:db:nothing"}, 404),
    ],
)
def test_freshness_of_what_makes_no_sense(story_server: Server, parameters: dict[str, Any], code: int) -> None:
    assert_error(story_server.get("/api/v1/freshness", **parameters), code)


# The lineage of runs


def version(name: str) -> Any:
    return {"version": facet(datasetVersion=name)}


CHAIN = [
    run("COMPLETE", "load", 1, "load-1", ["outside"], [dataset("raw", schema("a"))]),
    run("COMPLETE", "load", 11, "load-2", ["outside"], [dataset("raw", schema("a"))]),
    run("START", "clean", 5, "clean-1", ["raw"], [dataset("clean", version("c1"))]),
    run("COMPLETE", "clean", 6, "clean-1"),
    run("COMPLETE", "clean", 15, "clean-2", ["raw"], [dataset("clean", version("c2"))]),
    run("COMPLETE", "report", 20, "report-1", [dataset("clean", version("c1")), "raw"], ["report"]),
    run("COMPLETE", "report", 21, "report-2", ["clean"], ["report"]),
    run("COMPLETE", "merge", 30, "merge-1", ["report"], ["report"]),
]


@pytest.fixture(scope="module")
def chained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("chain") / "data")
    try:
        server.start()
        assert server.post_batch(CHAIN).status_code == 204
        yield server
    finally:
        server.end()


def runs(server: Server, way: str, run_id: str, **parameters: Any) -> list[Any]:
    answer = server.json(f"/api/v1/runlineage/{way}", runId=run_id, **parameters)
    assert answer["truncated"] is False
    linked_runs: list[Any] = answer["runs"]
    return linked_runs


def ids(linked_runs: list[Any]) -> list[str]:
    return [one["run"]["id"] for one in linked_runs]


def made_by(one: Any) -> dict[str, str | None]:
    return {i["name"]: i["producedByRunId"] for i in one["inputs"]}


def test_the_runs_that_fed_a_run(chained: Server) -> None:
    linked_runs = runs(chained, "upstream", "report-1")
    assert ids(linked_runs) == ["report-1", "clean-1", "load-2", "load-1"]
    report, clean, load_2, load_1 = linked_runs
    assert made_by(report) == {"clean": "clean-1", "raw": "load-2"}  # by version, and the newest then
    assert made_by(clean) == {"raw": "load-1"}
    assert made_by(load_1) == made_by(load_2) == {"outside": None}  # nobody wrote it, which is fine
    assert clean["job"]["namespace"] == "jobs"
    assert clean["job"]["name"] == "clean"
    assert clean["run"] == {
        "id": "clean-1",
        "start": "2026-03-02T10:05:00Z",
        "end": "2026-03-02T10:06:00Z",
        "status": "COMPLETED",
    }
    shown = chained.json("/api/v1/jobs/runs/report-1")
    assert report["job"]["version"] == shown["jobVersion"]["version"]
    read = {v["datasetVersionId"]["name"]: v["datasetVersionId"]["version"] for v in shown["inputDatasetVersions"]}
    assert {i["name"]: i["version"] for i in report["inputs"]} == read
    assert report["inputs"][0]["version"] == clean["outputs"][0]["version"]


def test_the_runs_that_a_run_fed(chained: Server) -> None:
    assert ids(runs(chained, "downstream", "load-1")) == ["load-1", "clean-1", "report-1"]
    assert ids(runs(chained, "downstream", "load-2")) == ["load-2", "clean-2", "report-1", "report-2", "merge-1"]
    assert ids(runs(chained, "downstream", "merge-1")) == ["merge-1"]


def test_a_run_that_writes_what_it_reads_is_fed_by_the_one_before(chained: Server) -> None:
    linked_runs = runs(chained, "upstream", "merge-1")
    assert ids(linked_runs)[:2] == ["merge-1", "report-2"]
    assert made_by(linked_runs[0]) == {"report": "report-2"}


def test_depth_counts_levels(chained: Server) -> None:
    assert ids(runs(chained, "upstream", "report-1", depth=0)) == ["report-1"]
    assert made_by(runs(chained, "upstream", "report-1", depth=0)[0]) == {"clean": "clean-1", "raw": "load-2"}
    assert ids(runs(chained, "upstream", "report-1", depth=1)) == ["report-1", "clean-1", "load-2"]
    assert ids(runs(chained, "downstream", "load-1", depth=1)) == ["load-1", "clean-1"]
    assert len(runs(chained, "upstream", "report-1", depth=1 << 31)) == 4


def test_a_run_without_datasets_stands_alone(server: Server) -> None:
    server.post(run("COMPLETE", "load", 1, "alone"))
    for way in ("upstream", "downstream"):
        (linked_run,) = runs(server, way, "alone")
        assert (linked_run["inputs"], linked_run["outputs"], linked_run["job"]["version"]) == ([], [], None)


def test_versions_join_under_every_name_of_a_dataset(server: Server) -> None:
    linked = {
        **version("v1"),
        "symlinks": facet(identifiers=[{"namespace": "hive", "name": "t", "type": "TABLE"}]),
    }
    server.post_batch(
        [
            run("COMPLETE", "write", 1, "w", [], [dataset("real", linked)]),
            run("COMPLETE", "by name", 5, "r1", [dataset(("hive", "t"), version("v1"))], ["x"]),
            run("COMPLETE", "by time", 6, "r2", [("hive", "t")], ["x"]),
        ]
    )
    for run_id in ("r1", "r2"):
        assert made_by(runs(server, "upstream", run_id)[0]) == {"real": "w"}
    assert ids(runs(server, "downstream", "w")) == ["w", "r1", "r2"]


def test_a_run_by_itself_shows_the_same_versions(chained: Server, server: Server) -> None:
    linked = {"symlinks": facet(identifiers=[{"namespace": "hive", "name": "t", "type": "TABLE"}])}
    server.post_batch(
        [
            run("COMPLETE", "write", 1, "w", [], [dataset("real", {**linked, **schema("a")})]),
            # A reader reports a schema under another name, and a run reads what it then writes.
            run("COMPLETE", "look", 3, "seen", [dataset(("hive", "t"), schema("a", "b"))]),
            run("COMPLETE", "copy", 5, "copied", ["real"], ["x"]),
            run("COMPLETE", "merge", 6, "merged", ["x", ("hive", "t")], ["x"]),
        ]
    )
    assert made_by(runs(server, "upstream", "copied")[0]) == {"real": "w"}
    assert made_by(runs(server, "upstream", "merged")[0]) == {"real": "w", "x": "copied"}
    for queried_server, run_ids in (
        (chained, [e["run"]["runId"] for e in CHAIN]),
        (server, ["w", "seen", "copied", "merged"]),
    ):
        for run_id in run_ids:
            linked_run = runs(queried_server, "upstream", run_id)[0]
            shown = queried_server.json(f"/api/v1/jobs/runs/{run_id}")
            for ours, theirs in (("inputs", "inputDatasetVersions"), ("outputs", "outputDatasetVersions")):
                versions = {(v["name"], v["version"]) for v in linked_run[ours]}
                assert versions == {
                    (v["datasetVersionId"]["name"], v["datasetVersionId"]["version"]) for v in shown[theirs]
                }


@pytest.mark.parametrize("way", ["upstream", "downstream"])
def test_runs_that_are_not_there(chained: Server, way: str) -> None:
    assert_error(chained.get(f"/api/v1/runlineage/{way}", runId="nobody"), 404)
    assert_error(chained.get(f"/api/v1/runlineage/{way}"), 400)
    assert_error(chained.get(f"/api/v1/runlineage/{way}", runId="load-1", depth=-1), 400)


# Events of real Spark and Flink jobs


def test_everything_in_recorded_events_can_be_queried(server: Server) -> None:
    for path in sorted(Path(headwater.demo.__file__).parent.glob("*.jsonl")):
        lines = path.read_bytes().splitlines()
        assert server.post_batch(b"[" + b",".join(lines) + b"]").status_code == 204
    graph = [f"job:{job['namespace']}:{job['name']}" for job in server.json("/api/v1/jobs", limit=1000)["jobs"]]
    runs_queried = 0
    for job in list(graph):
        for node in server.json("/api/v1/lineage", nodeId=job)["graph"]:
            if node["id"] not in graph:
                graph.append(node["id"])
    for node_id in graph:
        present = why(server, node_id)
        assert present["nodeId"] == node_id
        for suspect in present["suspects"]:
            assert why(server, suspect["nodeId"], at=suspect["at"])["examined"]["jobs"] >= 0
            run_id = suspect["evidence"].get("runId")
            if run_id is not None:
                runs_queried += 1
                assert why(server, f"run:{run_id}")["examined"]["jobs"] >= 1
                for way in ("upstream", "downstream"):
                    assert ids(runs(server, way, run_id))[0] == run_id
        if node_id.startswith("dataset:"):
            assert fresh(server, node_id)["nodeId"] == node_id
    assert len(graph) > 10
    assert runs_queried
