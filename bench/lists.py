"""`python -m bench.lists`: lists of jobs with their latest runs, while events come in."""

import sys
import tempfile
import time
from pathlib import Path

from bench.events import Load
from bench.load import Task
from bench.report import SIZES, Figure, Say, Sizes, at_most, info, median_of, show
from bench.servers import disk, headwater, run_load, run_together

_CLIENTS, _EVENTS_PER_SECOND = 8, 500
_LOAD = Load("layered", 1000, namespace="lists")
_PATH = f"/api/v1/namespaces/{_LOAD.namespace}/jobs?limit=20"


def job_lists(folder: Path, sizes: Sizes, say: Say) -> list[Figure]:
    """Ten runs of each job are shown, and the jobs that are shown are those that run just now."""
    with headwater(folder / "lists") as server:
        say("filling a store for lists of jobs")
        for seed in range(10):
            run_load(Task(server.port, 2, load=_LOAD, events_per_request=100, seed=seed))
        intake = Task(
            server.port, _CLIENTS, seconds=sizes.seconds, load=_LOAD, requests_per_second=_EVENTS_PER_SECOND, seed=99
        )
        asking = Task(server.port, _CLIENTS, seconds=sizes.seconds, paths=[_PATH])
        reports = []
        for number in range(sizes.rounds):
            say(f"lists of 20 jobs, {_CLIENTS} clients, round {number + 1} of {sizes.rounds}")
            reports.append(run_together(intake, asking))
    p99 = median_of([asked.p99_ms for _, asked in reports])
    p50 = median_of([asked.p50_ms for _, asked in reports])
    rate = median_of([asked.per_second for _, asked in reports])
    events = median_of([taken.per_second for taken, _ in reports])
    return [
        at_most(f"list of 20 jobs, {_CLIENTS} clients, p99", p99, 50, f"{p99:.0f} ms (p50 {p50:.0f} ms)", "50 ms"),
        info("  lists meanwhile", f"{rate:.0f}/s", rate),
        info("  events meanwhile", f"{events:.0f}/s", events),
    ]


def main() -> None:
    began = time.monotonic()
    sizes = SIZES["default"]
    with tempfile.TemporaryDirectory(prefix="headwater-bench-", dir=disk()) as folder:
        figures = job_lists(Path(folder), sizes, lambda text: print(text, file=sys.stderr))
    show(figures, sizes, (time.monotonic() - began) / 60)


if __name__ == "__main__":
    main()
