"""`python -m bench.asking [FOLDER]`: questions in a large store, while events come in.

Every job has several runs, and one more job has many thousands. Eight clients ask one kind of
question after the other, as fast as they are answered.
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
from bench.report import SIZES, Figure, Say, Sizes, at_most, info, show
from bench.scale import many_jobs
from bench.servers import Server, disk, headwater, run_load, run_together

_CLIENTS, _EVENTS_PER_SECOND = 8, 500
_TYPING_GOAL_MS = 30
_SENDERS = 64  # so many that the rate holds even if events have to wait
_GOAL_MS = 50
_BUSY = Load("layered", 1, "busy")  # the job with many runs
_PATHS = 2000  # of each kind of question
_PAGE = "limit=20"

# Memory is looked at when that part of the questions has filled all that is kept.
_FILLING, _GROWTH = 0.3, 1.05

Paths = Callable[[Random], str]


def questions(data: Path, many: Load, sizes: Sizes, say: Say) -> list[Figure]:
    """In a store that has the jobs already."""
    with headwater(data) as server:
        figures = [_add_runs(server, many, sizes, say)]
    # Started again: what the intake left in memory does not count.
    with headwater(data) as server:
        return [*figures, *_asked(server, many, sizes, say), _memory(server, many, sizes, say)]


def _add_runs(server: Server, many: Load, sizes: Sizes, say: Say) -> Figure:
    say(f"taking in {sizes.runs_of_one:,} runs of one job")
    run_load(Task(server.port, 2, runs=sizes.runs_of_one, load=_BUSY, events_per_request=100, seed=3))
    say(f"taking in {sizes.runs_of_each} more runs of each of {many.jobs:,} jobs")
    plain = replace(many, plain=True)
    report = run_load(Task(server.port, 2, runs=sizes.runs_of_each, load=plain, events_per_request=500, seed=2))
    return info(f"intake of {report.events:,} more runs in batches", f"{report.per_second:,.0f}/s", report.per_second)


def _asked(server: Server, many: Load, sizes: Sizes, say: Say) -> list[Figure]:
    """Each kind of question by itself."""
    telling = Task(server.port, _SENDERS, seconds=sizes.seconds, load=many, requests_per_second=_EVENTS_PER_SECOND)
    say("waiting for the search index")
    server.settle()
    figures: list[Figure] = []
    kinds = [(what, path, _CLIENTS, _GOAL_MS) for what, path in _listed(many, sizes).items()]
    kinds.append(("search, one person types", lambda r: _typed(many, r), 1, _TYPING_GOAL_MS))
    for number, (what, path, clients, goal) in enumerate(kinds):
        say(f"{what}, while {_EVENTS_PER_SECOND} events a second come in")
        random = Random(number)
        asking = Task(server.port, clients, seconds=sizes.seconds, paths=[path(random) for _ in range(_PATHS)])
        events, answers = run_together(replace(telling, seed=100 + number), asking)
        text = (
            f"p99 {answers.p99_ms:.0f} ms (p50 {answers.p50_ms:.1f} ms, {answers.per_second:,.0f}/s; "
            f"{events.per_second:,.0f} events/s, p99 {events.p99_ms:.0f} ms)"
        )
        figures.append(at_most(f"  {what}", answers.p99_ms, goal, text, f"{goal} ms"))
    return figures


def _listed(many: Load, sizes: Sizes) -> dict[str, Paths]:
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


def _memory(server: Server, many: Load, sizes: Sizes, say: Say) -> Figure:
    """Over many questions of all kinds about anything, none of them twice."""
    kinds = [*_listed(many, sizes).values(), *_graphs(many)]
    random = Random(7)
    paths = [random.choice(kinds)(random) for _ in range(sizes.questions)]
    filling = int(len(paths) * _FILLING)
    say(f"{filling:,} questions to fill what is kept")
    run_load(Task(server.port, _CLIENTS, paths=paths[:filling]))
    before = server.rss_bytes()
    say(f"memory over {len(paths) - filling:,} more questions")
    report = run_load(Task(server.port, _CLIENTS, paths=paths[filling:]))
    after = server.rss_bytes()
    text = f"{before / 1e6:,.0f} → {after / 1e6:,.0f} MB ({report.per_second:,.0f}/s)"
    what = f"memory over {report.requests:,} questions of all kinds"
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
    """With a folder, the store is made there, or if it is there already, asked as it is."""
    sizes, began = SIZES[os.environ.get("BENCH") or "default"], time.monotonic()
    many = many_jobs(sizes)

    def say(text: str) -> None:
        print(f"{time.monotonic() - began:6.1f} s  {text}", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory(prefix="headwater-bench-", dir=disk()) as temporary:
        data = Path(sys.argv[1] if len(sys.argv) > 1 else temporary) / "many"
        if data.exists():
            with headwater(data) as server:
                figures = [*_asked(server, many, sizes, say), _memory(server, many, sizes, say)]
        else:
            data.parent.mkdir(exist_ok=True)
            say(f"taking in {many.jobs:,} jobs")
            with headwater(data) as server:
                run_load(Task(server.port, 2, load=many, events_per_request=100))
            figures = questions(data, many, sizes, say)
    show(figures, sizes, (time.monotonic() - began) / 60)


if __name__ == "__main__":
    main()
