"""A sink with and without the transform in a real worker, in turns; the cheapest sink that there is, so that it shows.
`make bench-connect` prints the figures."""

import statistics
import tempfile
import time
from pathlib import Path

from tests.connect.cluster import Cluster
from tests.connect.conftest import plugins
from tests.connect.smt import sink, smt
from tests.integration.support import wait_for
from tests.support.lab import Lab

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
        found = {}
        for entry in self._folder.iterdir():
            try:
                name = (entry / "comm").read_text().strip()
                found[entry.name] = name, int((entry / "schedstat").read_text().split()[0])
            except OSError:
                continue  # it ended
        return found

    def of(self, name: str) -> int:
        """Since this was made, of the threads with this name now."""
        return sum(
            spent - self._before.get(thread, ("", 0))[1]
            for thread, (called, spent) in self._now().items()
            if called.startswith(name)
        )


def one(cluster: Cluster, name: str, options: dict[str, str]) -> tuple[float, float]:
    """Records a second, and microseconds of the task's thread for a record."""
    cpu = Cpu(cluster.lab.pid("connect"))
    file = cluster.files / f"{name}.out"
    cluster.put(name, sink(cluster, "lines", **options) | {"file": str(file)})
    wait_for(lambda: file.exists() and file.stat().st_size > 0, "the first record", _PATIENCE)
    began, size = time.monotonic(), file.stat().st_size
    wanted = RECORDS * (len(_LINE) + 1)
    wait_for(lambda: file.stat().st_size >= wanted, "the last record", _PATIENCE)
    took = time.monotonic() - began
    spent = cpu.of(f"task-thread-{name}")
    cluster.delete(name)
    file.unlink()
    return (wanted - size) / (len(_LINE) + 1) / took, spent / RECORDS / 1000


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
            inside = smt(cluster, **{"interval.ms": "5000"})
            variants: dict[str, dict[str, str]] = {"none": {}, "idle": inside | _NEVER, "smt": inside}
            figures: dict[str, list[tuple[float, float]]] = {kind: [] for kind in variants}
            for number in range(WARM + ROUNDS):
                order = list(variants.items())
                for kind, options in order if number % 2 else reversed(order):
                    # Linux keeps so little of a thread's name: three characters of the connector's.
                    figure = one(cluster, f"{kind[0]}{number:02x}", options)
                    if number >= WARM:
                        figures[kind].append(figure)
        finally:
            cluster.end()
            lab.run("down")
    for which, what, digits in ((0, "records a second", 0), (1, "µs of the task's thread for a record", 2)):
        by_kind = {kind: [figure[which] for figure in told] for kind, told in figures.items()}
        print(f"{what}:")
        for kind, told in by_kind.items():
            ratios = [mine / bare for bare, mine in zip(by_kind["none"], told, strict=True)]
            low, middle, high = statistics.quantiles(ratios, n=4)
            print(
                f"  {_NAMES[kind]}: {statistics.median(told):,.{digits}f}, {middle:.3f} of the first "
                f"(half of {ROUNDS} rounds in {low:.3f}–{high:.3f})"
            )


if __name__ == "__main__":
    main()
