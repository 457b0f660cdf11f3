"""Search against a running server: at once, after restarts and crashes, with broken files, any text."""

import itertools
import json
import random
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest

from tests.integration.samples import JOBS, KAFKA, LAKE, dataset_event, facet, recorded, run_event
from tests.support.server import EVENT, MakeServer, Server, assert_error, rebuild, wait_for

SEARCH = "/api/v1/search"


def hit_ids(server: Server, q: str, **more: Any) -> list[str]:
    return [hit["nodeId"] for hit in server.json(SEARCH, q=q, **more)["results"]]


def test_what_was_posted_is_found_at_once(server: Server) -> None:
    for n in range(30):
        server.post(run_event(n, job=f"load_{n}_daily", target=(LAKE, f"table_{n}_x")))
        assert f"job:{JOBS}:load_{n}_daily" in hit_ids(server, f"load_{n}_d")
        assert hit_ids(server, f"table_{n}_x")[0] == f"dataset:{LAKE}:table_{n}_x"
    server.post_batch([run_event(100 + n, job=f"batched_{n}_job") for n in range(500)])
    assert hit_ids(server, "batched_499_job")[0] == f"job:{JOBS}:batched_499_job"


def test_the_answer_has_the_shape_that_marquez_clients_read_and_more(server: Server) -> None:
    server.post(run_event(0))
    answer = server.json(SEARCH, q="orders_to_l")
    assert answer == {
        "totalCount": 1,
        "results": [
            {
                "type": "JOB",
                "name": "orders_to_lake",
                "updatedAt": "2026-11-01T00:00:00Z",
                "namespace": JOBS,
                "nodeId": f"job:{JOBS}:orders_to_lake",
                "score": pytest.approx(49.67, abs=0.01),
                "description": None,
                "highlights": [{"field": "name", "text": "<em>orders</em>_<em>to</em>_<em>l</em>ake"}],
            }
        ],
    }


def test_filters_sorting_and_pages(server: Server) -> None:
    for n, name in enumerate(("orders_b", "orders_a", "orders_c")):
        server.post(dataset_event(n * 86_400, name=name))
    server.post(run_event(0))

    def names(**more: Any) -> list[str]:
        return [hit["name"] for hit in server.json(SEARCH, q="orders", **more)["results"]]

    assert names(filter="JOB") == ["orders_to_lake"]
    assert names(filter="dataset", namespace=KAFKA) == ["orders"]
    ours = {"filter": "DATASET", "namespace": LAKE, "sort": "NAME"}
    assert names(**ours) == ["orders", "orders_a", "orders_b", "orders_c"]
    assert names(**ours, limit=1, offset=1) == ["orders_a"]
    assert names(**ours, after="2026-11-02T00:00:00Z") == ["orders_c"]
    assert names(**ours, before="2026-11-02") == ["orders", "orders_b"]
    assert names(filter="DATASET", namespace=LAKE, sort="UPDATE_AT")[:2] == ["orders_c", "orders_a"]


def test_the_beta_search_answers_as_marquez_does(server: Server) -> None:
    event = run_event(0)
    event["job"]["facets"]["sql"] = facet("1-0-1/SQLJobFacet.json", query="INSERT INTO lake SELECT price FROM orders")
    server.post(event)
    jobs = server.json("/api/v2beta/search/jobs", q="price")
    (hit,) = jobs["hits"]
    assert (hit["name"], hit["namespace"], hit["type"]) == ("orders_to_lake", JOBS, "BATCH")
    assert (hit["run_id"], hit["eventType"]) == (event["run"]["runId"], "COMPLETE")
    assert hit["facets"]["sql"]["query"].startswith("INSERT")
    assert "nominalTime" in hit["runFacets"]
    assert jobs["highlights"] == [{"facets.sql.query": ["INSERT INTO lake SELECT <em>price</em> FROM orders"]}]
    datasets = server.json("/api/v2beta/search/datasets", q="price")
    assert {hit["namespace"] for hit in datasets["hits"]} == {KAFKA, LAKE}
    assert datasets["highlights"] == [{"facets.schema.fields.name": ["<em>price</em>"]}] * 2
    assert {field["name"] for field in datasets["hits"][0]["facets"]["schema"]["fields"]} >= {"price", "supplier"}


@pytest.mark.parametrize("path", [SEARCH, "/api/v2beta/search/jobs", "/api/v2beta/search/datasets"])
def test_a_question_without_words_is_refused(server: Server, path: str) -> None:
    for given in ({}, {"q": ""}, {"q": "  "}):
        assert_error(server.get(path, **given), 400)


def test_senseless_parameters_are_refused(server: Server) -> None:
    for given in (
        {"filter": "TABLE"},
        {"sort": "SIZE"},
        {"limit": -1},
        {"limit": 5000},
        {"offset": -1},
        {"before": "monday"},
        {"after": "2026-13-01"},
    ):
        assert_error(server.get(SEARCH, q="x", **given), 400)


def test_any_text_is_answered(server: Server) -> None:
    server.post(run_event(0))
    noise = random.Random(5)
    texts = [
        '"',
        "((((",
        "a AND",
        "*:*",
        "\\",
        "%",
        "🚀" * 2000,
        "é" * 3000,
        "x" * 10_000,
        "name:orders~2^3",
        "\x00",
        "[a TO b]",
    ]
    texts += ["".join(chr(noise.randrange(1, 0xD7FF)) for _ in range(50)) for _ in range(50)]
    for text in texts:
        for path in (SEARCH, "/api/v2beta/search/jobs"):
            answer = server.get(path, q=text)
            assert answer.status_code in (200, 400), (text, answer.text[:200])
    assert server.get(SEARCH + "?q=%FF%ED%A0%80").status_code == 200
    assert hit_ids(server, "orders_to_lake")


_QUESTIONS = ("orders", "supplier", "job_3", "price", "kafka", "stats sup", "suplier", "select")


def answers(server: Server) -> Any:
    return {q: server.json(SEARCH, q=q, limit=1000) for q in _QUESTIONS}


@pytest.fixture
def filled(server: Server) -> tuple[Server, Any]:
    server.post_batch([*recorded(), *(run_event(n, job=f"job_{n % 9}") for n in range(50))])
    before = answers(server)
    assert all(answer["totalCount"] for answer in before.values())
    return server, before


def test_a_restart_changes_nothing(filled: tuple[Server, Any]) -> None:
    server, before = filled
    assert answers(server.restart()) == before


def test_a_kill_changes_nothing(filled: tuple[Server, Any]) -> None:
    server, before = filled
    server.kill()
    assert answers(server.start()) == before


def test_kills_at_any_moment_lead_to_the_right_index(server: Server) -> None:
    noise = random.Random(11)
    for round_number in range(6):
        for n in range(noise.randrange(1, 40)):
            server.post(run_event(n, job=f"killed_{round_number}_{n}", target=(LAKE, f"table_{round_number}_{n}")))
            if n == 5:
                hit_ids(server, "killed")  # writes the index now
        server.kill()
        server.start()
    listed = {f"job:{JOBS}:{job['name']}" for job in server.json("/api/v1/jobs", limit=1000)["jobs"]}
    assert set(hit_ids(server, "killed", filter="JOB", limit=1000)) == listed
    before = server.json(SEARCH, q="table", limit=1000)
    server.stop()
    rebuild(server.data)
    assert not (server.data / "search").exists()
    assert server.start().json(SEARCH, q="table", limit=1000) == before


def _noise(file: Path) -> None:
    file.write_bytes(random.Random(7).randbytes(max(file.stat().st_size, 10)))


@pytest.mark.parametrize("damage", ["deleted", "noise", "half the files gone"])
def test_a_damaged_index_folder_is_made_anew(filled: tuple[Server, Any], damage: str) -> None:
    server, before = filled
    server.stop()
    folder = server.data / "search"
    files = sorted(file for file in folder.iterdir() if file.suffix != ".lock")
    if damage == "noise":
        for file in files:
            _noise(file)
    elif damage == "half the files gone":
        for file in files[::2]:
            file.unlink()
    else:
        shutil.rmtree(folder)
    assert answers(server.start()) == before


def test_an_index_deleted_under_a_running_server_comes_back(filled: tuple[Server, Any]) -> None:
    server, before = filled
    shutil.rmtree(server.data / "search")
    server.post(dataset_event(9000, name="brand_new"))
    wait_for(lambda: hit_ids(server, "brand_new"), "the index to be made anew")
    assert answers(server)["job_3"] == before["job_3"]


def test_a_log_that_was_put_back_is_not_found_with_what_came_after(make_server: MakeServer, tmp_path: Path) -> None:
    server = make_server().start()
    server.post(run_event(0, job="before"))
    server.stop()
    shutil.copytree(server.data, tmp_path / "backup")
    server.start().post(run_event(1, job="after_it"))
    assert hit_ids(server, "after_it")
    server.stop()
    for name in ("log.db", "tables.db"):
        for file in server.data.glob(f"{name}*"):
            file.unlink()
        shutil.copy(tmp_path / "backup" / name, server.data / name)
    server.start()
    assert hit_ids(server, "after_it", filter="JOB") == []
    assert hit_ids(server, "before") == [f"job:{JOBS}:before"]


def test_deleted_jobs_and_datasets_are_not_found(server: Server) -> None:
    server.post(run_event(0))
    assert hit_ids(server, "orders_to_lake")
    assert server.client.delete(f"/api/v1/namespaces/{JOBS}/jobs/orders_to_lake").status_code == 200
    assert f"job:{JOBS}:orders_to_lake" not in hit_ids(server, "orders_to_lake")
    assert json.dumps(server.json("/api/v2beta/search/jobs", q="orders_to_lake")["hits"]) == "[]"


def test_a_search_that_names_a_position_finds_what_was_posted_while_events_come_in_all_the_time(server: Server) -> None:
    """Without a position it is answered from an index that may be a second behind."""
    done = Event()

    def flood() -> None:
        with httpx.Client(base_url=server.url) as client:
            for number in itertools.count(1000):
                if done.is_set():
                    return
                client.post(EVENT, json=run_event(number)).raise_for_status()

    with ThreadPoolExecutor(1) as pool:
        flooding = pool.submit(flood)
        try:
            for number in range(10):
                position = server.post(run_event(number, job=f"settled{number}")).headers["Headwater-Position"]
                answer = server.client.get(
                    SEARCH, params={"q": f"settled{number}"}, headers={"Headwater-Position": position}
                )
                assert [hit["name"] for hit in answer.json()["results"]][:1] == [f"settled{number}"]
        finally:
            done.set()
        flooding.result()
