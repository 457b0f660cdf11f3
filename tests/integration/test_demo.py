"""`headwater demo`: what a new user sees first."""

import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.server import Server, wait_for

_KAFKA, _LAKE = "kafka://127.0.0.1:29092", "s3://warehouse"
_SPARK = "supplier_stats_batch.overwrite_by_expression.demo_default_supplier_stats"


@pytest.fixture(scope="module")
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the demo puts its temporary folder."""
    return tmp_path_factory.mktemp("temporary")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, temporary: Path) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("demo") / "none", command="demo", env={"TMPDIR": str(temporary)})
    try:
        server.launch()
        server.wait_ready()
        wait_for(lambda: "curl" in server.output(), "the demo to say what to do")
        yield server
    finally:
        server.end()


def edges(server: Server, node: str, **parameters: Any) -> set[tuple[str, str]]:
    graph = server.json("/api/v1/lineage", nodeId=node, **parameters)["graph"]
    return {(edge["origin"], edge["destination"]) for n in graph for edge in n["outEdges"]}


def test_it_says_where_it_listens_and_what_to_try(demo: Server) -> None:
    assert demo.url in demo.output()
    assert "148" in demo.output()
    urls = re.findall(r"curl [^\n]*?'(http[^']+)'", demo.output())
    assert urls
    for url in urls:
        assert url.startswith(demo.url)
        assert demo.json(url)["graph"]


def test_the_flink_job_stands_between_its_topics(demo: Server) -> None:
    orders, stats = f"dataset:{_KAFKA}:orders", f"dataset:{_KAFKA}:supplier-stats"
    job = "job:trial-flink:supplier-stats-ds"
    assert edges(demo, stats, direction="upstream") == {(orders, job), (job, stats)}
    assert {(orders, job), (job, stats)} <= edges(demo, orders, direction="downstream")
    shown = demo.json("/api/v1/namespaces/trial-flink/jobs/supplier-stats-ds")
    assert shown["type"] == "STREAM"
    assert shown["latestRun"]["state"] == "ABORTED"


def test_the_spark_job_overwrites_the_statistics_from_the_orders(demo: Server) -> None:
    orders, stats = (f"dataset:{_LAKE}:rest/default/{name}" for name in ("orders", "supplier_stats"))
    job = f"job:demo-ns-rest:{_SPARK}"
    upstream = edges(demo, stats, direction="upstream")
    assert {(orders, job), (job, stats)} <= upstream
    shown = demo.json(f"/api/v1/namespaces/demo-ns-rest/jobs/{_SPARK}")
    assert shown["latestRun"]["state"] == "COMPLETED"
    assert shown["parentJobName"] == "supplier_stats_batch"
    assert [i["name"] for i in shown["inputs"]] == ["rest/default/orders"]
    assert [o["name"] for o in shown["outputs"]] == ["rest/default/supplier_stats"]


def test_the_columns_of_the_statistics_come_from_those_of_the_orders(demo: Server) -> None:
    stats = f"dataset:{_LAKE}:rest/default/supplier_stats"
    graph = {n["id"]: n for n in demo.json("/api/v1/column-lineage", nodeId=stats)["graph"]}
    fields = {n["data"]["field"] for n in graph.values() if n["data"]["dataset"] == "rest/default/supplier_stats"}
    table = demo.json("/api/v1/namespaces/s3:%2F%2Fwarehouse/datasets/rest%2Fdefault%2Fsupplier_stats")
    assert fields >= {field["name"] for field in table["fields"]}
    fed = [n for n in graph.values() if n["data"]["inputFields"]]
    assert fed
    assert {i["dataset"] for n in fed for i in n["data"]["inputFields"]} == {"rest/default/orders"}


def test_it_stops_cleanly_and_leaves_nothing_behind(demo: Server, temporary: Path) -> None:
    assert [p for p in temporary.iterdir() if p.is_dir()], "no folder while it runs?"
    assert demo.signal(signal.SIGTERM) == 0
    assert "Traceback" not in demo.output()
    assert not list(temporary.iterdir())
