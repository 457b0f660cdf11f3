"""`python -m bench.query_latency [FOLDER]`: latency of queries in a large store, during ingest.

Every job has several runs, and one job has many thousands. Eight clients send one kind of query after
the other, as fast as they are answered.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from urllib.parse import quote

from msgspec.structs import replace

from bench.events import JOBS_PER_CHAIN, Load
from bench.load import Task
from bench.report import SIZES, Figure, Progress, Sizes, at_most, info, show
from bench.scale import many_jobs
from bench.servers import Server, disk, headwater, run_load, run_together

_CLIENTS, _EVENTS_PER_SECOND = 8, 500
_TYPING_GOAL_MS = 30
_SENDERS = 64  # enough to keep the rate even if events have to wait
_GOAL_MS = 50
_BUSY = Load("layered", 1, "busy")  # the job with many runs
_PATHS = 2000  # of each kind of query
_PAGE = "limit=20"

# Memory is measured after this share of the queries has filled all caches.
_FILLING, _GROWTH = 0.3, 1.05

Paths = Callable[[Random], str]


def latencies(data: Path, many: Load, sizes: Sizes, progress: Progress) -> list[Figure]:
    """In a store that already has the jobs."""
    with headwater(data) as server:
        figures = [_add_runs(server, many, sizes, progress)]
    # Restarted, so that what ingest left in memory does not count.
    with headwater(data) as server:
        return [*figures, *_by_kind(server, many, sizes, progress), _memory(server, many, sizes, progress)]


def _add_runs(server: Server, many: Load, sizes: Sizes, progress: Progress) -> Figure:
    progress(f"ingesting {sizes.runs_of_one:,} runs of one job")
    run_load(Task(server.port, 2, runs=sizes.runs_of_one, load=_BUSY, events_per_request=100, seed=3))
    progress(f"ingesting {sizes.runs_of_each} more runs of each of {many.jobs:,} jobs")
    plain = replace(many, plain=True)
    report = run_load(Task(server.port, 2, runs=sizes.runs_of_each, load=plain, events_per_request=500, seed=2))
    return info(f"ingest of {report.events:,} more runs in batches", f"{report.per_second:,.0f}/s", report.per_second)


def _by_kind(server: Server, many: Load, sizes: Sizes, progress: Progress) -> list[Figure]:
    """Each kind of query by itself."""
    ingest = Task(server.port, _SENDERS, seconds=sizes.seconds, load=many, requests_per_second=_EVENTS_PER_SECOND)
    progress("waiting for the search index")
    server.settle()
    figures: list[Figure] = []
    kinds = [(what, path, _CLIENTS, _GOAL_MS) for what, path in _kinds(many, sizes).items()]
    kinds.append(("search, one person types", lambda r: _typed(many, r), 1, _TYPING_GOAL_MS))
    for number, (what, path, clients, goal) in enumerate(kinds):
        progress(f"{what}, during ingest of {_EVENTS_PER_SECOND} events a second")
        random = Random(number)
        queries = Task(server.port, clients, seconds=sizes.seconds, paths=[path(random) for _ in range(_PATHS)])
        events, answers = run_together(replace(ingest, seed=100 + number), queries)
        text = (
            f"p99 {answers.p99_ms:.0f} ms (p50 {answers.p50_ms:.1f} ms, {answers.per_second:,.0f}/s; "
            f"{events.per_second:,.0f} events/s, p99 {events.p99_ms:.0f} ms)"
        )
        figures.append(at_most(f"  {what}", answers.p99_ms, goal, text, f"{goal} ms"))
    return figures


def _kinds(many: Load, sizes: Sizes) -> dict[str, Paths]:
    jobs, datasets = _paths(many)
    busy_jobs, busy_datasets = _paths(_BUSY)
    runs = f"{busy_jobs}/{_BUSY.job(0)}/runs?{_PAGE}"
    versions = f"{busy_datasets}/{_BUSY.output(0)}/versions?{_PAGE}"
    some = many.jobs
    return {
        "the latest jobs": lambda _: f"/api/v1/jobs?{_PAGE}",
        "jobs, any page": lambda r: f"/api/v1/jobs?{_PAGE}&offset={r.randrange(some)}",
        "jobs of a namespace, any page": lambda r: f"{jobs}?{_PAGE}&offset={r.randrange(some)}",
        "datasets, any page": lambda r: f"{datasets}?{_PAGE}&offset={r.randrange(some)}",
        "a job with its latest runs": lambda r: f"{jobs}/{many.job(r.randrange(some))}",
        "runs of a job": lambda r: f"{jobs}/{many.job(r.randrange(some))}/runs?{_PAGE}",
        f"runs of a job with {sizes.runs_of_one:,}": lambda _: runs,
        "  any page of them": lambda r: f"{runs}&offset={r.randrange(sizes.runs_of_one)}",
        "a dataset": lambda r: f"{datasets}/{many.output(r.randrange(some))}",
        "versions of a dataset": lambda r: f"{datasets}/{many.output(r.randrange(some))}/versions?{_PAGE}",
        f"versions of a dataset with {sizes.runs_of_one:,}": lambda _: versions,
        "statistics": lambda r: f"/api/v1/stats/{r.choice(('lineage-events', 'jobs', 'datasets'))}?period=DAY",
        "the latest events": lambda _: f"/api/v1/events/lineage?{_PAGE}",
        "search, names letter by letter": lambda r: _typed(many, r),
    }


def _paths(load: Load) -> tuple[str, str]:
    """Of the jobs, and of the datasets."""
    namespaces = "/api/v1/namespaces"
    return f"{namespaces}/{load.namespace}/jobs", f"{namespaces}/{load.dataset_namespace}/datasets"


def _typed(many: Load, random: Random) -> str:
    number = random.randrange(many.jobs)
    name = random.choice((many.job(number), many.output(number)))
    return f"/api/v1/search?q={quote(name[: random.randint(1, len(name))])}"


# Memory


def _memory(server: Server, many: Load, sizes: Sizes, progress: Progress) -> Figure:
    """Over many queries of all kinds, none of them twice."""
    kinds = [*_kinds(many, sizes).values(), *_graphs(many)]
    random = Random(7)
    paths = [random.choice(kinds)(random) for _ in range(sizes.questions)]
    filling = int(len(paths) * _FILLING)
    progress(f"{filling:,} queries to fill the caches")
    run_load(Task(server.port, _CLIENTS, paths=paths[:filling]))
    before = server.rss_bytes()
    progress(f"memory over {len(paths) - filling:,} more queries")
    report = run_load(Task(server.port, _CLIENTS, paths=paths[filling:]))
    after = server.rss_bytes()
    text = f"{before / 1e6:,.0f} → {after / 1e6:,.0f} MB ({report.per_second:,.0f}/s)"
    what = f"memory over {report.requests:,} queries of all kinds"
    return at_most(what, after / before, _GROWTH, text, f"{_GROWTH - 1:.0%} more")


def _graphs(many: Load) -> list[Paths]:
    def dataset(r: Random) -> str:
        return f"dataset:{many.dataset_namespace}:{many.output(r.randrange(many.jobs))}"

    def ends(r: Random) -> str:
        first = r.randrange(many.jobs) // JOBS_PER_CHAIN * JOBS_PER_CHAIN
        start, end = many.inputs(first)[0], many.output(first + JOBS_PER_CHAIN - 1)
        return f"from=dataset:{many.dataset_namespace}:{start}&to=dataset:{many.dataset_namespace}:{end}"

    return [
        lambda r: f"/api/v1/lineage?nodeId={dataset(r)}",
        lambda r: f"/api/v1/lineage?nodeId={dataset(r)}&at=2100-01-01T00:00:00Z",
        lambda r: f"/api/v1/column-lineage?nodeId={dataset(r)}&withDownstream=true",
        lambda r: f"/api/v1/impact?nodeId={dataset(r)}",
        lambda r: f"/api/v1/diff?from=2000-01-01T00:00:00Z&nodeId={dataset(r)}",
        lambda r: f"/api/v1/path?{ends(r)}",
        lambda r: f"/api/v1/why?nodeId={dataset(r)}",
        lambda r: f"/api/v1/freshness?nodeId={dataset(r)}",
        lambda r: f"/api/v1/gaps?kind=datasetsWithoutConsumer&{_PAGE}&offset={r.randrange(many.jobs // 10)}",
    ]


def main() -> None:
    """With a folder, the store is made there, or reused if it exists."""
    sizes, began = SIZES[os.environ.get("BENCH") or "default"], time.monotonic()
    many = many_jobs(sizes)

    def progress(text: str) -> None:
        print(f"{time.monotonic() - began:6.1f} s  {text}", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory(prefix="headwater-bench-", dir=disk()) as temporary:
        data = Path(sys.argv[1] if len(sys.argv) > 1 else temporary) / "many"
        if data.exists():
            with headwater(data) as server:
                figures = [*_by_kind(server, many, sizes, progress), _memory(server, many, sizes, progress)]
        else:
            data.parent.mkdir(exist_ok=True)
            progress(f"ingesting {many.jobs:,} jobs")
            with headwater(data) as server:
                run_load(Task(server.port, 2, load=many, events_per_request=100))
            figures = latencies(data, many, sizes, progress)
    show(figures, sizes, (time.monotonic() - began) / 60)


if __name__ == "__main__":
    main()
