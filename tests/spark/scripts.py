"""Spark jobs as processes of their own, which end in one way or another."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.support.server import wait_for

# A stream of numbers into files, for ever. It writes down its process id when it has started.
STREAM = """
import os, sys
from pyspark.sql import SparkSession
import headwater.spark

url, folder, name = sys.argv[1:]
spark = (
    SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.driver.memory", "512m")
    .config("spark.sql.warehouse.dir", folder + "/warehouse").getOrCreate()
)
headwater.spark.attach(spark, url=url, namespace="tests", interval=0.5, spool=folder + "/spool")
rate = spark.readStream.format("rate").load()
writer = rate.writeStream.queryName(name).format("parquet").option("checkpointLocation", folder + "/cp-" + name)
query = writer.start(folder + "/out")
with open(folder + "/pid", "w") as file:
    file.write(str(os.getpid()))
query.awaitTermination()
"""


class Job:
    def __init__(self, process: "subprocess.Popen[bytes]", output: Path) -> None:
        self.process, self._output = process, output

    def output(self) -> str:
        return self._output.read_text(errors="replace")

    def wait(self, seconds: float = 200) -> int:
        return self.process.wait(seconds)


@contextmanager
def started(command: Sequence[str], env: Mapping[str, str] | None = None) -> Iterator[Job]:
    """With all that it starts it is gone afterwards, and its output is shown with a failed test."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "output"
        with output.open("wb") as file:
            process = subprocess.Popen(
                command,
                stdout=file,
                stderr=subprocess.STDOUT,
                env={**os.environ, **(env or {})},
                start_new_session=True,
            )
        job = Job(process, output)
        try:
            yield job
        finally:
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
            sys.stdout.write(job.output()[-5000:])


def run_script(script: str, arguments: list[str], terminate_when: Callable[[], bool] | None = None) -> int:
    """Runs it to its end, or until it is time for SIGTERM; the exit code."""
    with started([sys.executable, "-c", script, *arguments]) as job:
        if terminate_when is not None:
            wait_for(lambda: terminate_when() or job.process.poll() is not None, "the time to end it", 200)
            job.process.send_signal(signal.SIGTERM)
        return job.wait()


def read_pid(folder: Path) -> int:
    """Of the driver, when it has started its query. Read once: the next one is that of the next driver."""
    path = folder / "pid"
    wait_for(lambda: path.exists() and path.read_text(), "the driver to start its query", 200)
    pid = int(path.read_text())
    path.unlink()
    return pid


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
