"""Streaming queries of a real Spark, reported to a real server."""

import json
import pickle
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.spark import Agent, attach
from tests.spark import notation
from tests.spark.scripts import run_script
from tests.support.server import MakeServer, Server, free_port, path_of, wait_for

PATIENCE = 90.0  # a busy machine starts a query in seconds, not at once


class AttachedSession:
    """A session with the agent attached, a folder of JSON files to read, and folders to write to."""

    def __init__(self, spark: Any, server: Server, agent: Agent, folder: Path) -> None:
        self.spark, self.server, self.agent, self.folder = spark, server, agent, folder
        (folder / "in").mkdir()

    def feed(self, *rows: dict[str, Any]) -> None:
        text = "\n".join(map(json.dumps, rows))
        partial = self.folder / "in" / f".{time.time_ns()}"
        partial.write_text(text)
        partial.rename(partial.with_name(f"{time.time_ns()}.json"))

    def source(self, schema: str = "item string, price double, qty int") -> Any:
        return self.spark.readStream.schema(schema).json(str(self.folder / "in"))

    def write(self, df: Any, name: str | None = None) -> Any:
        writer = df.writeStream.option("checkpointLocation", str(self.folder / f"checkpoint-{name}"))
        return writer.queryName(name) if name else writer

    def path(self, name: str) -> str:
        return str(self.folder / name)

    # What the server knows

    def job(self, name: str) -> Any:
        answer = self.server.get(path_of("jobs", "tests", name))
        return answer.json() if answer.status_code == 200 else None

    def wait(self, name: str, *states: str) -> Any:
        def reached() -> Any:
            job = self.job(name)
            return job if job and job["latestRun"] and job["latestRun"]["state"] in states else None

        return wait_for(reached, f"{name} to be {states}", PATIENCE)

    def columns(self, name: str) -> set[str]:
        """`in.price → out.total`, for the columns of a folder."""
        node = f"dataset:file:{self.path(name)}"
        graph = self.server.json("/api/v1/column-lineage", nodeId=node)["graph"]
        return {f"{_short(e['origin'])} → {_short(e['destination'])}" for n in graph for e in n["outEdges"]}

    def events(self, job: str) -> list[Any]:
        return [e for e in self.server.events() if e.get("job", {}).get("name") == job]


def _short(node: str) -> str:
    return ".".join(node.rpartition("/")[2].rsplit(":", 1))


@pytest.fixture
def session(spark: Any, server: Server, tmp_path: Path) -> Iterator[AttachedSession]:
    yield from _attached(spark, server, server.url, tmp_path)


def _attached(spark: Any, server: Server, url: str, folder: Path) -> Generator[AttachedSession, None, None]:
    agent = attach(spark, url=url, namespace="tests", interval=0.5, spool=folder / "spool")
    try:
        yield AttachedSession(spark, server, agent, folder)
    finally:
        for query in spark.streams.active:
            query.stop()
        agent.close("the test is over")


def test_a_query_is_known_with_its_columns_from_its_start(session: AttachedSession) -> None:
    df = session.source().where("qty > 0").selectExpr("item", "price * qty as total")
    session.write(df, "totals").format("parquet").start(session.path("out"))
    job = session.wait("totals", "RUNNING")
    assert job["type"] == "STREAM"
    assert [d["name"] for d in job["inputs"]] == [session.path("in")]
    assert [d["name"] for d in job["outputs"]] == [session.path("out")]
    assert session.columns("out") >= {"in.item → out.item", "in.price → out.total", "in.qty → out.total"}
    start = session.events("totals")[0]
    assert start["eventType"] == "START"
    assert [f["name"] for f in start["outputs"][0]["facets"]["schema"]["fields"]] == ["item", "total"]
    assert [f["name"] for f in start["inputs"][0]["facets"]["schema"]["fields"]] == ["item", "price", "qty"]


def test_progress_is_reported_while_it_runs_and_stop_is_an_abort(session: AttachedSession) -> None:
    session.feed({"item": "a", "price": 1.5, "qty": 2}, {"item": "b", "price": 2.5, "qty": 1})
    query = session.write(session.source(), "copies").format("parquet").start(session.path("out"))

    def rows() -> int:
        input_facets = [i["inputFacets"] for e in session.events("copies") for i in e["inputs"] if i.get("inputFacets")]
        return sum(facets.get("inputStatistics", {}).get("rowCount", 0) for facets in input_facets)

    wait_for(lambda: rows() == 2, "two rows", PATIENCE)
    session.feed({"item": "c", "price": 1.0, "qty": 3})
    wait_for(lambda: rows() == 3, "the third row", PATIENCE)
    query.stop()
    session.wait("copies", "ABORTED")
    progress = [e["run"]["facets"]["headwater_streaming"] for e in session.events("copies")[1:] if _progress(e)]
    assert {p["queryId"] for p in progress} == {str(query.id)}
    assert max(p["batchId"] for p in progress) >= 1
    last = session.events("copies")[-1]
    assert last["eventType"] == "ABORT"
    assert last["run"]["facets"]["headwater_end"]["reason"] == "stop() was called"
    assert {e["run"]["runId"] for e in session.events("copies")} == {str(query.runId)}


def _progress(event: Any) -> bool:
    return "headwater_streaming" in event["run"]["facets"]


def test_a_query_that_reads_what_there_is_completes(session: AttachedSession) -> None:
    session.feed({"item": "a", "price": 1.5, "qty": 2})
    query = (
        session.write(session.source(), "once").format("parquet").trigger(availableNow=True).start(session.path("out"))
    )
    query.awaitTermination()
    query.stop()  # as people do, to be sure
    session.wait("once", "COMPLETED")


def test_a_failure_is_reported_with_its_error(session: AttachedSession) -> None:
    session.feed({"item": "a", "price": 1.5, "qty": 0})
    df = session.source().selectExpr("1 div qty as x")
    query = session.write(df, "broken").format("noop").start()
    with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
        query.awaitTermination()
    session.wait("broken", "FAILED")
    assert "DIVIDE_BY_ZERO" in session.events("broken")[-1]["run"]["facets"]["errorMessage"]["message"]


def test_queries_of_one_application_are_jobs_of_their_own(session: AttachedSession) -> None:
    session.write(session.source().select("item"), "one").format("parquet").start(session.path("out1"))
    session.write(session.source().select("qty"), "two").format("parquet").start(session.path("out2"))
    session.wait("one", "RUNNING")
    session.wait("two", "RUNNING")
    assert session.columns("out1") == {"in.item → out1.item"}
    assert session.columns("out2") == {"in.qty → out2.qty"}


def test_a_query_without_a_name_is_called_after_what_it_writes(session: AttachedSession) -> None:
    session.write(session.source()).format("parquet").start(session.path("out"))
    session.wait("headwater-tests.out", "RUNNING")


def test_a_restart_is_a_new_run_of_the_same_job(session: AttachedSession) -> None:
    for _ in range(2):
        session.feed({"item": "a", "price": 1.5, "qty": 2})
        query = (
            session.write(session.source(), "again")
            .format("parquet")
            .trigger(availableNow=True)
            .start(session.path("out"))
        )
        query.awaitTermination()

    def states() -> list[str]:
        return [run["state"] for run in session.server.json(f"{path_of('jobs', 'tests', 'again')}/runs")["runs"]]

    session.wait("again", "RUNNING", "COMPLETED")
    wait_for(lambda: states() == ["COMPLETED", "COMPLETED"], "two runs to complete", PATIENCE)


def test_windows_of_the_rate_source_have_a_watermark_and_a_state(session: AttachedSession) -> None:
    from pyspark.sql import functions as F

    rate = session.spark.readStream.format("rate").option("rowsPerSecond", 20).load()
    counts = rate.withWatermark("timestamp", "1 second").groupBy(F.window("timestamp", "1 second")).count()
    session.write(counts, "counts").format("memory").outputMode("update").start()

    def progress() -> list[Any]:
        return [e["run"]["facets"]["headwater_streaming"] for e in session.events("counts") if _progress(e)]

    def seen() -> Any:
        return [t for t in progress() if t.get("watermark") and t["stateRows"] > 0 and t["stateBytes"] > 0]

    wait_for(seen, "a watermark and a state", PATIENCE)
    facet = wait_for(lambda: [t for t in progress() if t.get("processedRowsPerSecond")], "rows", PATIENCE)[0]
    assert facet["sources"][0]["numInputRows"] > 0


def test_what_the_batches_of_a_stream_write_is_its_output(session: AttachedSession) -> None:
    from pyspark.sql import functions as F

    names = session.spark.createDataFrame([("a", "Apple")], "item string, label string")
    names.write.parquet(session.path("names"))

    def write(batch: Any, number: int) -> None:
        batch.groupBy("item").agg(F.sum("total").alias("sum")).write.mode("overwrite").parquet(session.path("sums"))
        joined = batch.join(session.spark.read.parquet(session.path("names")), "item")
        joined.select("label", "total").write.mode("overwrite").format("json").save(session.path("labels"))

    session.feed({"item": "a", "price": 1.5, "qty": 2})
    df = session.source().where("qty > 0").selectExpr("item", "price * 2 as total")
    session.write(df, "batches").foreachBatch(write).start()
    wait_for(lambda: len((session.job("batches") or {"outputs": ()})["outputs"]) == 2, "both outputs", PATIENCE)
    assert session.columns("sums") >= {"in.item → sums.item", "in.price → sums.sum", "in.qty → sums.sum"}
    assert session.columns("labels") >= {"names.label → labels.label", "in.price → labels.total"}
    assert {d["name"] for d in session.job("batches")["inputs"]} == {session.path("in"), session.path("names")}


def test_a_table_is_written_under_its_physical_name(session: AttachedSession) -> None:
    session.spark.sql("create table if not exists lake.shop.sold (item string, price double) using iceberg")
    session.feed({"item": "a", "price": 1.5, "qty": 2})
    session.write(session.source().select("item", "price"), "ingest").toTable("lake.shop.sold")
    job = session.wait("ingest", "RUNNING")
    (output,) = job["outputs"]
    assert output["namespace"] == "file"
    assert output["name"].endswith("/lake/shop/sold")
    logical = session.server.get(path_of("datasets", f"file:{output['name'].removesuffix('/shop/sold')}", "shop.sold"))
    assert logical.json()["name"] == output["name"], "the name in the catalog leads to the same dataset"


def test_the_columns_of_a_batch_are_reported_for_the_dataset(session: AttachedSession) -> None:
    session.spark.createDataFrame([(1, 2)], "a int, b int").write.parquet(session.path("left"))
    left = session.spark.read.parquet(session.path("left"))
    left.groupBy("a").count().write.parquet(session.path("right"))
    assert session.agent.flush(PATIENCE)
    assert "left.a → right.a" in session.columns("right")


def test_what_cannot_be_understood_is_reported(session: AttachedSession) -> None:
    forgotten = session.spark.range(3).localCheckpoint()
    source = session.source()
    df = source.join(forgotten, source.qty == forgotten.id).select("item")
    session.write(df, "honest").format("noop").start()
    session.wait("honest", "RUNNING")
    errors = session.events("honest")[0]["run"]["facets"]["extractionError"]["errors"]
    assert [e["errorMessage"] for e in errors] == ["a checkpoint: the plan does not say what was before it"]


def test_an_error_in_the_users_own_function_fails_the_query_with_its_message(session: AttachedSession) -> None:
    def write(batch: Any, number: int) -> None:
        raise ValueError("no such thing as a batch")

    session.feed({"item": "a", "price": 1.5, "qty": 2})
    query = session.write(session.source(), "faulty").foreachBatch(write).start()
    with pytest.raises(Exception, match="no such thing"):
        query.awaitTermination()
    session.wait("faulty", "FAILED")
    error = session.events("faulty")[-1]["run"]["facets"]["errorMessage"]
    assert "no such thing as a batch" in error["message"] + error["stackTrace"]


def test_a_statement_in_the_batches_of_a_stream_writes_its_output(session: AttachedSession) -> None:
    session.spark.sql("create table if not exists lake.shop.merged (item string, qty int) using iceberg")

    def merge(batch: Any, number: int) -> None:
        batch.createOrReplaceTempView("batch")
        batch.sparkSession.sql(
            "merge into lake.shop.merged t using batch s on t.item = s.item "
            "when matched then update set qty = s.qty when not matched then insert *"
        )

    session.feed({"item": "a", "price": 1.5, "qty": 2})
    session.write(session.source().where("price > 1").select("item", "qty"), "merge").foreachBatch(merge).start()
    (output,) = wait_for(lambda: (session.job("merge") or {"outputs": ()})["outputs"], "the output", PATIENCE)
    assert output["name"].endswith("/lake/shop/merged")
    written = next(e for e in session.events("merge") if e["outputs"])
    facet = written["outputs"][0]["facets"]["columnLineage"]
    lines = notation.shown(notation.written(facet))
    rows = "rows <- in.item:join in.price:filter merged.item:join"
    assert lines.splitlines() == ["item <- in.item", "qty <- in.qty", rows]


def test_a_query_of_another_session_is_reported_to_its_end(session: AttachedSession) -> None:
    another = session.spark.newSession()
    source = another.readStream.schema("item string").json(session.path("in"))
    query = session.write(source, "elsewhere").format("noop").start()
    session.wait("elsewhere", "RUNNING")
    query.stop()
    session.wait("elsewhere", "ABORTED")


def test_a_query_that_was_there_before_is_reported_from_the_attachment_on(
    spark: Any, server: Server, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    source = spark.readStream.schema("item string, qty int").json(str(tmp_path / "in"))
    writer = source.where("qty > 0").writeStream.queryName("early").option("checkpointLocation", str(tmp_path / "cp"))
    query = writer.format("parquet").start(str(tmp_path / "out"))
    agent = attach(spark, url=server.url, namespace="tests", interval=0.5, spool=tmp_path / "spool")
    try:
        job = wait_for(lambda: server.get(path_of("jobs", "tests", "early")).status_code == 200, "the query", PATIENCE)
        job = server.json(path_of("jobs", "tests", "early"))
        assert [d["name"] for d in job["inputs"]] == [str(tmp_path / "in")]
        assert [d["name"] for d in job["outputs"]] == [str(tmp_path / "out")]
        query.stop()
        assert agent.flush(PATIENCE)
        wait_for(lambda: server.events()[-1]["eventType"] == "ABORT", "its end", PATIENCE)
    finally:
        query.stop()
        agent.close("the test is over")


def test_a_query_that_was_not_started_from_python_is_reported_too(session: AttachedSession) -> None:
    writer = session.write(session.source(), "scala").format("parquet")
    started = writer._jwrite.start(session.path("out"))  # as Scala code would
    try:
        job = session.wait("scala", "RUNNING")
        assert [d["name"] for d in job["outputs"]] == [session.path("out")]
    finally:
        started.stop()
    session.wait("scala", "ABORTED")


def test_thousands_of_batches_leave_nothing_behind(session: AttachedSession) -> None:
    """What the agent keeps of a query does not grow with its batches."""
    session.write(session.source(), "long").format("noop").start()
    session.wait("long", "RUNNING")
    query = next(iter(session.agent._streams._queries.values()))
    progress = {"runId": query.run.id, "batchId": 1, "sources": [{"description": "x", "numInputRows": 1}]}

    def size() -> int:
        return len(pickle.dumps((query.progress.__dict__, query.unknown, query.outputs)))

    def feed(batches: int) -> int:
        for _ in range(batches):
            session.agent.progressed(json.dumps(progress))
            session.agent.progressed(json.dumps(progress | {"runId": "unknown"}))
        assert session.agent.flush(PATIENCE)
        return size()

    before = feed(10)
    assert feed(900) <= before + 10, "counters have more digits, and that is all"
    assert session.agent._streams._early == {}
    assert session.agent._tasks.qsize() < 10


def test_without_a_server_the_query_goes_on_and_nothing_is_lost(
    spark: Any, make_server: MakeServer, tmp_path: Path
) -> None:
    def waiting() -> int:
        return len(list((tmp_path / "spool").glob("*/*.json")))

    server, port = make_server(), free_port()
    sessions = _attached(spark, server, f"http://127.0.0.1:{port}", tmp_path)
    session = next(sessions)
    try:
        session.feed({"item": "a", "price": 1.5, "qty": 2})
        query = session.write(session.source(), "alone").format("parquet").start(session.path("out"))
        wait_for(lambda: waiting() >= 3, "events on disk", PATIENCE)
        wait_for(
            lambda: spark.read.schema("item string").parquet(session.path("out")).count() == 1, "the row", PATIENCE
        )
        server.start(port)
        session.wait("alone", "RUNNING")
        wait_for(lambda: waiting() == 0, "everything sent", PATIENCE)
        server.kill()
        query.stop()
        wait_for(lambda: waiting() >= 1, "the end on disk", PATIENCE)
        server.start(port)
        session.wait("alone", "ABORTED")
        kinds = [e["eventType"] for e in session.events("alone")]
        assert (kinds[0], kinds[-1]) == ("START", "ABORT")
        assert set(kinds[1:-1]) == {"RUNNING"}
    finally:
        sessions.close()


SCRIPT = """
import os, signal, sys, time, threading
from pyspark.sql import SparkSession
import headwater.spark

url, folder, how = sys.argv[1:]
spark = (
    SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.driver.memory", "512m")
    .config("spark.sql.warehouse.dir", folder + "/warehouse").getOrCreate()
)
terminated = threading.Event()
if how == "handler":
    signal.signal(signal.SIGTERM, lambda *_: terminated.set())
headwater.spark.attach(spark, url=url, namespace="tests", interval=0.5, spool=folder + "/spool")
rate = spark.readStream.format("rate").load()
writer = rate.writeStream.queryName(how).format("parquet").option("checkpointLocation", folder + "/cp")
query = writer.start(folder + "/out")
print("started", flush=True)
if how == "fork":
    pid = os.fork()
    if pid == 0:
        sys.exit()  # with all that is to be done at the end of an interpreter, which is not that of the job
    os.waitpid(pid, 0)
    print(headwater.spark.attach(spark).flush())
    query.stop()
if how == "term":
    query.awaitTermination()
if how == "handler":
    terminated.wait()
    query.stop()
    sys.exit()
time.sleep(1)
if how == "raise":
    raise RuntimeError("the job's own fault")
if how == "session":
    spark.stop()
"""


@pytest.mark.parametrize(
    ("how", "code", "reason"),
    [
        ("handler", 0, "stop() was called, after SIGTERM"),
        ("term", -15, "SIGTERM"),
        ("raise", 1, "the interpreter ended"),
        ("session", 0, "the Spark session was stopped"),
        ("fork", 0, "stop() was called"),
    ],
)
def test_a_process_that_ends_aborts_its_queries(
    how: str, code: int, reason: str, server: Server, tmp_path: Path
) -> None:

    def is_running() -> bool:
        answer = server.get(path_of("jobs", "tests", how))
        return answer.status_code == 200

    exit_code = run_script(
        SCRIPT, [server.url, str(tmp_path), how], terminate_when=is_running if how in ("term", "handler") else None
    )
    assert exit_code == code
    *_, last = of_job = [e for e in server.events() if e["job"]["name"] == how]
    assert [e["eventType"] for e in of_job].count("ABORT") == 1
    assert last["eventType"] == "ABORT"
    assert last["run"]["facets"]["headwater_end"]["reason"] == reason
    assert list((tmp_path / "spool").glob("*/*.json")) == []


def test_attaching_twice_is_attaching_once(session: AttachedSession, spark: Any) -> None:
    assert attach(spark, url=session.server.url) is session.agent


def test_after_the_end_pyspark_is_as_it_was(spark: Any, server: Server, tmp_path: Path) -> None:
    from pyspark.sql import DataFrameWriter, DataFrameWriterV2
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

    classes = (DataStreamWriter, StreamingQuery, DataFrameWriter, DataFrameWriterV2)
    before = [dict(vars(c)) for c in classes]
    agent = attach(spark, url=server.url, spool=tmp_path / "spool")
    assert [dict(vars(c)) for c in classes] != before
    agent.close("the test is over")
    assert [dict(vars(c)) for c in classes] == before
