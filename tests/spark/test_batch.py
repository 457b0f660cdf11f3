"""Batch jobs, reported by OpenLineage's own listener and corrected by our agent, to a real server."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.spark import batch_job
from tests.spark.scripts import is_alive, read_pid, started
from tests.support.server import MakeServer, Server, free_port, path_of, wait_for

PATIENCE = 120.0
APPLICATION = "supplier_stats"


def run(url: str, folder: Path, *steps: str) -> int:
    with started([sys.executable, batch_job.__file__, url, str(folder), *steps]) as job:
        return job.wait()


class Done:
    """What the server knows when all is over."""

    def __init__(self, server: Server, folder: Path) -> None:
        self.server, self.folder = server, folder

    def states(self, job: str) -> list[str]:
        answer = self.server.get(f"{path_of('jobs', 'orders', job)}/runs")
        return [run["state"] for run in answer.json()["runs"]] if answer.status_code == 200 else []

    def jobs(self) -> set[str]:
        return {job["name"] for job in self.server.json("/api/v1/namespaces/orders/jobs")["jobs"]}

    def events(self, job: str) -> list[Any]:
        return [e for e in self.server.events() if e.get("job", {}).get("name") == job]

    def columns(self, table: str) -> dict[str, set[str]]:
        """What the graph shows: `price:AGGREGATION` for each column of a table; `*` is what decides over rows."""
        node = f"dataset:file:{self.folder}/{table}"
        origins: dict[str, set[str]] = {}
        graph = self.server.json("/api/v1/column-lineage", nodeId=node, depth="1")["graph"]
        for column in graph:
            if column["type"] != "DATASET_FIELD" or column["data"]["dataset"] != f"{self.folder}/{table}":
                continue
            origins[column["data"]["field"]] = {
                f"{i['dataset'].rpartition('/')[2]}.{i['field']}:{'+'.join(sorted(_subtypes(i)))}"
                for i in column["data"]["inputFields"]
            }
        return origins


def _subtypes(field: Any) -> set[str]:
    return {transformation["subtype"] for transformation in field.get("transformations", ())}


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Done]:
    """One run of everything, for all tests that only look at what it left."""
    folder = tmp_path_factory.mktemp("batch")
    server = Server(folder / "data")
    try:
        server.start()
        steps = ("orders", "supplier_stats", "statements", "failures", "stream", "reading", "stop")
        assert run(server.url, folder, *steps) == 0
        yield Done(server, folder)
    finally:
        server.end()


def test_the_application_and_each_statement_are_runs(done: Done) -> None:
    assert done.states(APPLICATION) == ["COMPLETED"]
    write = f"{APPLICATION}.overwrite_by_expression.demo_ib_default_supplier_stats"
    assert done.states(write) == ["COMPLETED"]
    assert done.states(f"{APPLICATION}.create_table.default_supplier_stats") == ["COMPLETED"]
    parent = done.events(write)[0]["run"]["facets"]["parent"]
    assert parent["job"] == {"namespace": "orders", "name": APPLICATION}
    assert parent["run"] == {"runId": done.events(APPLICATION)[0]["run"]["runId"]}
    job = done.server.json(path_of("jobs", "orders", write))
    assert [d["name"] for d in job["inputs"]] == [f"{done.folder}/lake/default/orders"]
    assert [d["name"] for d in job["outputs"]] == [f"{done.folder}/lake/default/supplier_stats"]


def test_what_the_listener_misses_is_there(done: Done) -> None:
    rows = {"orders.bid_time:FILTER+GROUP_BY", "orders.supplier:GROUP_BY"}
    of_time = {"orders.bid_time:FILTER+GROUP_BY+TRANSFORMATION", "orders.supplier:GROUP_BY"}
    assert done.columns("lake/default/supplier_stats") == {
        "supplier": {"orders.bid_time:FILTER+GROUP_BY", "orders.supplier:GROUP_BY+IDENTITY"},
        "bid_date": of_time,
        "bid_hour": of_time,
        "total_price": rows | {"orders.price:AGGREGATION"},
        "total_count": rows,
    }


def test_statements_of_sql_have_our_columns_too(done: Done) -> None:
    def columns_of(job: str) -> dict[str, set[str]]:
        end = done.events(f"{APPLICATION}.{job}.demo_ib_default_counts")[-1]
        (output,) = end["outputs"]
        facet = output["facets"]["columnLineage"]
        assert "headwater" in facet["_producer"]
        return {
            **{n: {_short(i) for i in f["inputFields"]} for n, f in facet["fields"].items()},
            "rows": {_short(i) for i in facet["dataset"]},
        }

    assert columns_of("append_data") == {
        "supplier": {"orders.supplier:IDENTITY"},
        "n": set(),
        "rows": {"orders.supplier:GROUP_BY"},
    }
    assert columns_of("replace_data") == {"rows": {"orders.supplier:GROUP_BY+JOIN", "counts.supplier:JOIN"}}
    assert columns_of("overwrite_by_expression") == {
        "supplier": {"orders.item:IDENTITY"},
        "n": set(),
        "rows": {"orders.item:GROUP_BY", "orders.price:FILTER"},
    }


def test_a_table_that_is_filled_by_position_has_the_names_of_the_table(done: Done) -> None:
    """And that in a session of its own."""
    expected = {"item": {"orders.item:IDENTITY"}, "price": {"orders.price:TRANSFORMATION"}}
    assert done.columns("warehouse/copies") == expected


def test_a_statement_that_failed_is_not_called_complete(done: Done) -> None:
    assert done.states(f"{APPLICATION}.create_table.default_orders") == ["FAILED", "COMPLETED"]
    assert done.states(f"{APPLICATION}.create_table.default_never") == ["FAILED"]
    assert done.states(f"{APPLICATION}.append_data.demo_ib_default_orders") == ["FAILED", "COMPLETED"]
    failed = done.events(f"{APPLICATION}.create_table.default_orders")[-1]
    assert "TABLE_OR_VIEW_ALREADY_EXISTS" in failed["run"]["facets"]["errorMessage"]["message"]
    orders = done.server.json(path_of("datasets", "file", f"{done.folder}/lake/default/orders"))
    assert [f["name"] for f in orders["fields"]] == ["order_id", "item", "price", "supplier", "bid_time"]
    never = done.server.get(path_of("datasets", "file", f"{done.folder}/lake/default/never"))
    assert never.status_code == 404, "what was not made is not there"


def test_a_stream_in_the_same_application_is_reported_once_by_the_agent(done: Done) -> None:
    assert done.states("doubled") == ["COMPLETED"]
    assert done.events("doubled")[0]["run"]["facets"]["parent"]["job"]["name"] == APPLICATION
    writes = [job for job in done.jobs() if job.endswith("out") or "micro" in job or "stream" in job]
    assert writes == []


def test_what_the_batches_of_a_stream_write_is_reported_once_by_the_agent(done: Done) -> None:
    job = done.server.json(path_of("jobs", "orders", "batches"))
    assert {d["name"].rpartition("/")[2] for d in job["outputs"]} == {"counts", "out-of-batches"}
    assert done.states(f"{APPLICATION}.append_data.demo_ib_default_counts") == ["COMPLETED"], "that of CREATE TABLE AS"


def test_no_run_is_left_open(done: Done) -> None:
    states = {job: done.states(job) for job in done.jobs()}
    assert {state for of_job in states.values() for state in of_job} == {"COMPLETED", "FAILED"}, states


def test_nothing_is_left_on_disk(done: Done) -> None:
    assert [path for path in (done.folder / "spool").rglob("*") if path.is_file()] == []


def _short(field: Any) -> str:
    return f"{field['name'].rpartition('/')[2]}.{field['field']}:{'+'.join(sorted(_subtypes(field)))}"


def test_an_application_that_fails_is_reported_as_failed(server: Server, tmp_path: Path) -> None:
    assert run(server.url, tmp_path, "orders", "fail") == 1
    done = Done(server, tmp_path)
    assert done.states(APPLICATION) == ["FAILED"]
    error = done.events(APPLICATION)[-1]["run"]["facets"]["errorMessage"]
    assert error["message"] == "RuntimeError: the job's own fault"
    assert "in fail" in error["stackTrace"]


def test_an_application_that_just_ends_is_complete(server: Server, tmp_path: Path) -> None:
    assert run(server.url, tmp_path, "orders") == 0
    assert Done(server, tmp_path).states(APPLICATION) == ["COMPLETED"]


def test_applications_one_after_the_other_in_one_process_are_reported_each(server: Server, tmp_path: Path) -> None:
    assert run(server.url, tmp_path, "orders", "stop", "again", "supplier_stats", "stop") == 0
    done = Done(server, tmp_path)
    assert done.states(APPLICATION) == ["COMPLETED", "COMPLETED"]
    assert done.states(f"{APPLICATION}.overwrite_by_expression.demo_ib_default_supplier_stats") == ["COMPLETED"]
    assert "total_count" in done.columns("lake/default/supplier_stats")


def test_sigterm_aborts_the_application(server: Server, tmp_path: Path) -> None:
    done = Done(server, tmp_path)
    with started([sys.executable, batch_job.__file__, server.url, str(tmp_path), "orders", "wait"]) as job:
        read_pid(tmp_path)
        job.process.send_signal(signal.SIGTERM)
        assert job.wait() == -signal.SIGTERM
    assert done.states(APPLICATION) == ["ABORTED"]
    assert done.events(APPLICATION)[-1]["run"]["facets"]["headwater_end"]["reason"] == "SIGTERM"


def test_a_parent_ends_the_application_of_a_killed_driver(server: Server, tmp_path: Path) -> None:
    done = Done(server, tmp_path)
    supervise = [sys.executable, "-m", "headwater.spark.supervise", "--restarts", "0", "--"]
    with started([*supervise, sys.executable, batch_job.__file__, server.url, str(tmp_path), "wait"]) as job:
        driver = read_pid(tmp_path)
        os.kill(driver, signal.SIGKILL)
        assert job.wait() == 128 + signal.SIGKILL
    assert not is_alive(driver)
    assert done.states(APPLICATION) == ["ABORTED"]


def test_what_the_listener_wrote_while_the_server_was_away_is_reported_later(
    make_server: MakeServer, tmp_path: Path
) -> None:
    """Neither server nor agent is there at first; the next run finds both, and ends in its own way."""
    server, port = make_server(), free_port()
    assert run(f"http://127.0.0.1:{port}", tmp_path, "detached", "orders", "stop") == 0
    server.start(port)
    assert run(server.url, tmp_path, "supplier_stats", "stop") == 0
    done = Done(server, tmp_path)
    assert done.states(APPLICATION) == ["COMPLETED", "COMPLETED"]
    assert done.states(f"{APPLICATION}.append_data.demo_ib_default_orders") == ["COMPLETED"]
    assert done.states(f"{APPLICATION}.overwrite_by_expression.demo_ib_default_supplier_stats") == ["COMPLETED"]


def test_a_server_that_is_away_gets_the_batch_later(make_server: MakeServer, tmp_path: Path) -> None:
    server, port = make_server(), free_port()
    assert run(f"http://127.0.0.1:{port}", tmp_path, "orders", "supplier_stats", "stop") == 0
    server.start(port)
    assert run(server.url, tmp_path, "stop") == 0
    done = Done(server, tmp_path)
    wait_for(lambda: done.states(APPLICATION) == ["COMPLETED", "COMPLETED"], "both runs", PATIENCE)
    assert "total_count" in done.columns("lake/default/supplier_stats")
