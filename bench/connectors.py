"""`python -m bench.connectors`: records a second of the generator and the S3 sink in the lab's worker.

Needs what the lab needs, and `make connect`. The worker runs as in the lab: 512 MB, without the optimising compiler.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import fastavro
import httpx

from headwater.lab import kafka
from pipeline.connector_configs import S3_SINK, SOURCE, config
from pipeline.settings import Settings
from tests.demo.parquet import rows
from tests.support.lab import Lab

RECORDS = 1_000_000
FORMATS = ("parquet", "avro", "json")
_PAUSE = 0.1


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="headwater-bench-") as folder:
        lab = Lab(Path(folder) / "lab")
        lab.up("--services", "connect,registry,s3")
        try:
            measure(lab)
        finally:
            lab.run("down")
    return 0


def measure(lab: Lab) -> None:
    values = lab.state()["values"]
    settings = Settings(
        kafka=lab.url("kafka"), registry=lab.url("registry"), s3=lab.url("s3"), archive="s3://archive/",
        s3_key=values["s3-key"], s3_secret=values["s3-secret"],
    )  # fmt: skip

    def produced() -> int:
        try:
            return kafka.records(values["host"], int(values["kafka"]), "orders")
        except (kafka.ProtocolError, KeyError):
            return 0

    put(lab, SOURCE, config(SOURCE, settings, 0) | {"iterations": str(RECORDS)})
    show("orders-source, Avro, exactly once", rate(produced))
    for name in FORMATS:
        options = config(S3_SINK, settings, 0) | {"format.class": name, "topics.dir": name}
        put(lab, f"{S3_SINK}-{name}", options)
        show(f"orders-s3-sink, {name}", rate(Stored(lab.data / "s3/buckets/archive" / name)))


class Stored:
    """Counts the rows of objects; reads each object once."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._counts = folder, dict[Path, int]()

    def __call__(self) -> int:
        for path in self._folder.rglob("orders+*"):
            if path not in self._counts and path.suffix in (".parquet", ".avro", ".json"):
                self._counts[path] = self._rows(path)
        return sum(self._counts.values())

    def _rows(self, path: Path) -> int:
        content = path.read_bytes()
        if path.suffix == ".parquet":
            return rows(content)
        if path.suffix == ".json":
            return content.count(b"\n")
        with path.open("rb") as file:
            return sum(block.num_records for block in fastavro.block_reader(file))


def rate(count: Callable[[], int]) -> float:
    """Records a second, from the first to the last that were seen."""
    while not (first := count()):
        time.sleep(_PAUSE)
    began = time.monotonic()
    while (last := count()) < RECORDS:
        time.sleep(_PAUSE)
    return float(last - first) / (time.monotonic() - began)


def put(lab: Lab, name: str, options: dict[str, str]) -> None:
    answer = httpx.put(f"{lab.url('connect')}/connectors/{name}/config", json=options, timeout=120, trust_env=False)
    answer.raise_for_status()


def show(what: str, figure: float) -> None:
    sys.stdout.write(f"{what}: {figure:,.0f} records/s\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
