"""A sink with and without the transform in a real worker, in turns: the cheapest that there is, so that it shows, and
one that reads orders in Avro, as most do. `make bench-connect` prints the figures."""

import statistics
import tempfile
import time
from pathlib import Path

from bench.orders import produce_at_once
from pipeline.connector_configs import avro
from pipeline.settings import Settings
from tests.connect.cluster import Cluster
from tests.connect.conftest import plugins
from tests.connect.smt import sink, smt
from tests.support.lab import Lab
from tests.support.server import wait_for

RECORDS, ROUNDS, WARM = 500_000, 12, 2
_LINE = b"a line of some sixty characters, as logs and small orders are"
_NAMES = {
    "none": "no transform",
    "idle": "a transform that is never applied, which is Connect's own cost of having one",
    "smt": "Headwater's transform",
}
_NEVER = {
    "transforms.lineage.predicate": "never",
    "predicates": "never",
    "predicates.never.type": "org.apache.kafka.connect.transforms.predicates.RecordIsTombstone",
}
_BATCH = 50_000
"""What a producer takes without waiting."""
_PATIENCE = 600.0


class Cpu:
    """Nanoseconds that the threads of a process have had."""

    def __init__(self, pid: int) -> None:
        self._folder = Path(f"/proc/{pid}/task")
        self._before = self._now()

    def _now(self) -> dict[str, tuple[str, int]]:
        threads = {}
        for entry in self._folder.iterdir():
            try:
                name = (entry / "comm").read_text().strip()
                threads[entry.name] = name, int((entry / "schedstat").read_text().split()[0])
            except OSError:
                continue  # it ended
        return threads

    def of(self, name: str) -> int:
        """Since this was made, of the threads with this name now."""
        return sum(
            spent - self._before.get(thread, ("", 0))[1]
            for thread, (called, spent) in self._now().items()
            if called.startswith(name)
        )


class Written:
    """How many records a sink has written, one in a line."""

    def __init__(self, file: Path) -> None:
        self._file, self._read, self._lines = file, 0, 0

    def __call__(self) -> int:
        if self._file.exists():
            with self._file.open("rb") as file:
                file.seek(self._read)
                more = file.read()
            self._read += len(more)
            self._lines += more.count(b"\n")
        return self._lines


def one(cluster: Cluster, name: str, config: dict[str, str]) -> tuple[float, float]:
    """Records a second, and microseconds of the task's thread for a record."""
    cpu = Cpu(cluster.lab.pid("connect"))
    file = cluster.files / f"{name}.out"
    written = Written(file)
    cluster.put(name, config | {"file": str(file)})
    first = wait_for(written, "the first record", _PATIENCE)
    began = time.monotonic()
    wait_for(lambda: written() >= RECORDS, "the last record", _PATIENCE)
    took = time.monotonic() - began
    spent = cpu.of(f"task-thread-{name}")
    cluster.delete(name)
    file.unlink()
    return (RECORDS - first) / took, spent / RECORDS / 1000


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(Path(folder) / "lab")
        plugins(lab)
        lab.up("--services", "connect,registry,headwater")
        files = Path(folder) / "files"
        files.mkdir()
        cluster = Cluster(lab, files)
        try:
            for _ in range(0, RECORDS, _BATCH):
                cluster.produce("lines", *[_LINE] * _BATCH)
            produce_at_once(cluster.kafka, lab.url("registry"), RECORDS)
            in_avro = avro(Settings(registry=lab.url("registry")))
            compare("a file sink of lines of text", cluster, sink(cluster, "lines"))
            compare("a file sink of orders in Avro", cluster, sink(cluster, "orders", **in_avro))
        finally:
            cluster.end()
            lab.run("down")


def compare(title: str, cluster: Cluster, config: dict[str, str]) -> None:
    inside = smt(cluster, **{"interval.ms": "5000"})
    variants: dict[str, dict[str, str]] = {"none": {}, "idle": inside | _NEVER, "smt": inside}
    figures: dict[str, list[tuple[float, float]]] = {kind: [] for kind in variants}
    for number in range(WARM + ROUNDS):
        order = list(variants.items())
        for kind, options in order if number % 2 else reversed(order):
            # Linux keeps so little of a thread's name: three characters of the connector's.
            figure = one(cluster, f"{kind[0]}{number:02x}", config | options)
            if number >= WARM:
                figures[kind].append(figure)
    for which, what, digits in ((0, "records a second", 0), (1, "µs of the task's thread for a record", 2)):
        by_kind = {kind: [figure[which] for figure in rounds] for kind, rounds in figures.items()}
        print(f"{title}, {what}:")
        for kind, values in by_kind.items():
            ratios = [mine / bare for bare, mine in zip(by_kind["none"], values, strict=True)]
            low, middle, high = statistics.quantiles(ratios, n=4)
            print(
                f"  {_NAMES[kind]}: {statistics.median(values):,.{digits}f}, {middle:.3f} of the first "
                f"(half of {ROUNDS} rounds in {low:.3f}–{high:.3f})"
            )


if __name__ == "__main__":
    main()
