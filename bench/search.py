"""`python -m bench.search [JOBS]`: search as people type, during ingest.

The store has JOBS jobs (20,000 by default) with three datasets of 20 columns each, and all
names differ. Eight clients type random names letter by letter: as fast as people do, and as fast
as the server answers.
"""

import shutil
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from urllib.parse import quote

import msgspec
from msgspec.structs import replace

from bench.events import Load
from bench.load import Report, Task
from bench.report import SIZES, Figure, Progress, at_most, info, show
from bench.servers import Server, bytes_in, disk, headwater, run_load, run_together

_CLIENTS, _EVENTS_PER_SECOND = 8, 500
_LETTERS_PER_SECOND = 10  # of a fast typist
_NAMES_TYPED = 60
_GOAL_MS, _GOAL_WITHOUT_PAUSE_MS = 30, 50
_SECONDS = 10.0
_BUILD_SECONDS = 900


def as_you_type(folder: Path, jobs: int, progress: Progress) -> list[Figure]:
    load = Load("layered", jobs, "bench", all_names_differ=True)
    data = folder / "search"
    progress(f"ingesting {jobs:,} jobs with {load.datasets:,} datasets")
    with headwater(data) as server:
        filled = run_load(Task(server.port, 2, load=load, events_per_request=100))
        progress("waiting for the index")
        lag = _wait_for(server, load)
    shutil.rmtree(data / "search")
    progress("building the index")
    with headwater(data) as server:
        before = server.rss_bytes()
        built = _wait_for(server, load)
        figures = [
            info("ingest of these jobs, with indexing", f"{filled.per_second:,.0f}/s", filled.per_second),
            info("  until the last one is searchable", f"{lag:.1f} s", lag),
            info(f"building the index of {jobs + load.datasets:,} documents", f"{built:.1f} s", built),
            _megabytes("  its size", bytes_in(data / "search")),
            _megabytes("  memory of the server before", before),
            _megabytes("  memory of the server after", server.rss_bytes()),
        ]
        return figures + _typed(server, load, progress)


def _wait_for(server: Server, load: Load) -> float:
    """Until all documents are in the index, which writes jobs in their order."""
    began = time.perf_counter()
    last = load.inputs(load.jobs - 1)[2]
    while time.perf_counter() - began < _BUILD_SECONDS:
        answer = msgspec.json.decode(server.get(f"/api/v1/search?filter=DATASET&q={quote(last)}&limit=1"))
        if answer["results"] and answer["results"][0]["name"] == last:
            break
        time.sleep(0.05)
    return time.perf_counter() - began


def _megabytes(what: str, size: int) -> Figure:
    return info(what, f"{size / 1e6:,.0f} MB", size / 1e6)


def _typed(server: Server, load: Load, progress: Progress) -> list[Figure]:
    random = Random(3)
    chosen = [random.randrange(load.jobs) for _ in range(_NAMES_TYPED)]
    names = [load.job(i) if n % 2 else random.choice(load.inputs(i)) for n, i in enumerate(chosen)]
    paths = [f"/api/v1/search?q={quote(name[:length])}" for name in names for length in range(1, len(name) + 1)]
    fast = Task(server.port, _CLIENTS, seconds=_SECONDS, paths=paths)
    typing = replace(fast, requests_per_second=_CLIENTS * _LETTERS_PER_SECOND)
    ingest = Task(server.port, _CLIENTS, seconds=_SECONDS, load=load, requests_per_second=_EVENTS_PER_SECOND)
    figures: list[Figure] = []
    for how, task, goal in (
        ("as people type", typing, _GOAL_MS),
        ("as fast as possible", fast, _GOAL_WITHOUT_PAUSE_MS),
    ):
        progress(f"{how}, without ingest")
        alone = run_load(task)
        progress(f"{how}, during ingest of {_EVENTS_PER_SECOND} events a second")
        events, searches = run_together(ingest, task)
        figures += [
            _latency(f"search in {load.jobs:,} jobs, {_CLIENTS} clients {how}", alone, goal),
            _latency(f"  the same with {events.per_second:,.0f} events/s", searches, goal),
            info("  p99 of those events", f"{events.p99_ms:.0f} ms", events.p99_ms),
        ]
    return figures


def _latency(what: str, report: Report, goal: float) -> Figure:
    text = f"p99 {report.p99_ms:.1f} ms (p50 {report.p50_ms:.1f} ms, {report.per_second:,.0f}/s)"
    return at_most(what, report.p99_ms, goal, text, f"{goal:g} ms")


def main() -> None:
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="headwater-bench-", dir=disk()) as folder:
        figures = as_you_type(Path(folder), jobs, lambda text: print(text, file=sys.stderr))
    show(figures, SIZES["default"], (time.monotonic() - began) / 60)


if __name__ == "__main__":
    main()
