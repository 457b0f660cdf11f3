"""Lineage by configuration alone: a job that knows nothing of Headwater, run by a real spark-submit."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.spark.batch_job import JARS
from tests.support.server import Server, path_of

BIN = Path(sys.executable).parent
LAUNCHER = str(BIN / "headwater-pyspark")

JOB = """
import sys
from pyspark.sql import SparkSession

folder, how = sys.argv[1:]
spark = SparkSession.builder.appName("job").config("spark.ui.enabled", "false").getOrCreate()
if how == "batch":
    spark.range(3).write.parquet(folder + "/ids")
    spark.read.parquet(folder + "/ids").groupBy("id").count().write.parquet(folder + "/counts")
    sys.exit()
stream = spark.newSession() if how == "second session" else spark
rate = stream.readStream.format("rate-micro-batch").option("rowsPerBatch", 3).load()
writer = rate.selectExpr("value * 2 as twice").writeStream.queryName("doubled").format("parquet")
query = writer.option("checkpointLocation", folder + "/cp").trigger(once=True).start(folder + "/out")
query.awaitTermination()
if how == "raise":
    raise RuntimeError("the job's own fault")
if how == "exit":
    sys.exit(7)
"""


def run(*command: str, env: Mapping[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command, env={**os.environ, **(env or {})}, capture_output=True, text=True, timeout=200, check=False
    )


def submit(tmp_path: Path, server: Server, how: str, **conf: str) -> "subprocess.CompletedProcess[str]":
    script = tmp_path / "job.py"
    script.write_text(JOB)
    settings = {
        "spark.pyspark.driver.python": LAUNCHER,
        "spark.driver.memory": "512m",
        "spark.sql.warehouse.dir": str(tmp_path / "warehouse"),
        "spark.headwater.spool": str(tmp_path / "spool"),
        "spark.headwater.url": server.url,
        "spark.headwater.namespace": "submitted",
    } | {f"spark.{key.replace('_', '.')}": value for key, value in conf.items()}
    words = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
    as_in_a_venv = {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    arguments = ("--master", "local[1]", *words, str(script), str(tmp_path), how)
    return run("spark-submit", *arguments, env=as_in_a_venv)


@pytest.mark.parametrize(("how", "code"), [("well", 0), ("exit", 7), ("raise", 1), ("second session", 0)])
def test_a_job_is_reported_by_configuration_alone_and_ends_as_it_would_without(
    how: str, code: int, server: Server, tmp_path: Path
) -> None:
    done = submit(tmp_path, server, how)
    assert done.returncode == code, done.stderr
    job = server.json(path_of("jobs", "submitted", "doubled"))
    assert job["latestRun"]["state"] == "COMPLETED"
    assert [d["name"] for d in job["outputs"]] == [str(tmp_path / "out")]
    if how == "raise":
        assert "RuntimeError: the job's own fault" in done.stdout, "where spark-submit puts what Python says"
        assert "headwater/spark" not in done.stdout, "the traceback is the job's alone"


def test_batches_are_reported_when_the_listener_is_among_the_jars(server: Server, tmp_path: Path) -> None:
    jar = next(jar for jar in JARS if jar.name.startswith("openlineage-spark"))
    done = submit(tmp_path, server, "batch", jars=str(jar))
    assert done.returncode == 0, done.stderr
    jobs = {j["name"]: j["latestRun"]["state"] for j in server.json("/api/v1/namespaces/submitted/jobs")["jobs"]}
    assert jobs == {
        "job": "COMPLETED",
        f"job.execute_insert_into_hadoop_fs_relation_command.{tmp_path.name}_ids": "COMPLETED",
        f"job.adaptive_spark_plan.{tmp_path.name}_counts": "COMPLETED",
    }
    node = f"datasetField:file:{tmp_path}/counts:count"
    graph = server.json("/api/v1/column-lineage", nodeId=node)["graph"]
    assert f"datasetField:file:{tmp_path}/ids:id" in {node["id"] for node in graph}, "the group, which counts"


def test_without_an_address_nothing_is_reported(server: Server, tmp_path: Path) -> None:
    done = submit(tmp_path, server, "well", headwater_url="")
    assert done.returncode == 0, done.stderr
    assert server.events() == []


def test_a_setting_that_makes_no_sense_is_logged_and_the_job_runs(server: Server, tmp_path: Path) -> None:
    done = submit(tmp_path, server, "well", headwater_interval="often")
    assert done.returncode == 0, done.stderr
    assert "spark.headwater.interval is 'often': give a number of seconds above 0" in done.stdout
    assert server.events() == []


def test_the_parent_that_a_scheduler_names_is_reported(server: Server, tmp_path: Path) -> None:
    run_id = "01a1ddeb-2c40-7aeb-b395-690165c27572"
    done = submit(
        tmp_path,
        server,
        "well",
        openlineage_parentJobNamespace="airflow",
        openlineage_parentJobName="dag.task",
        openlineage_parentRunId=run_id,
    )
    assert done.returncode == 0, done.stderr
    start = next(e for e in server.events() if e["job"]["name"] == "doubled")
    parent = start["run"]["facets"]["parent"]
    assert parent["run"] == {"runId": run_id}
    assert parent["job"] == {"namespace": "airflow", "name": "dag.task"}


def test_it_is_python_in_all_else(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import builtins; builtins.of_the_site = True")
    (tmp_path / "there.py").write_text(
        "import json, os, subprocess, sys\n"
        "child = subprocess.run([sys.executable, '-c', 'import sys; print(sys.meta_path)'], capture_output=True)\n"
        "print(json.dumps([__name__, sys.argv, sys.path[0], os.environ['PYTHONPATH'], of_the_site,"
        " 'headwater' in child.stdout.decode()]))\n"
    )
    path = str(tmp_path)
    script = run(LAUNCHER, str(tmp_path / "there.py"), "--one", env={"PYTHONPATH": path})
    assert json.loads(script.stdout) == ["__main__", [f"{path}/there.py", "--one"], path, path, True, False]
    module = run(LAUNCHER, "-m", "there", "two", env={"PYTHONPATH": path})
    assert json.loads(module.stdout)[:2] == ["__main__", [f"{path}/there.py", "two"]]
    typed = run(LAUNCHER, "-c", "import sys; sys.exit('no')")
    assert (typed.returncode, typed.stderr) == (1, "no\n")
