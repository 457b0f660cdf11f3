"""Growth: the same work in a store of 1,000 jobs and in one a hundred times as large.

All names of jobs, datasets and columns differ, so that sharing does not hide the cost. Both servers run
side by side and are queried in turns.
"""

from pathlib import Path
from random import Random

from bench.events import JOBS_PER_CHAIN, Load
from bench.load import Report, Task
from bench.report import Figure, Progress, Sizes, at_least, at_most, info, median_of
from bench.servers import Server, bytes_in, headwater, run_load

_NAMESPACE = "bench"
_JOBS, _DATASETS = f"/api/v1/namespaces/{_NAMESPACE}/jobs", f"/api/v1/namespaces/{_NAMESPACE}_db/datasets"

# Each answer has the same size in both stores; {chain} is one of the separate chains of jobs.
QUERIES = {
    "lineage of a chain of 10 jobs": f"/api/v1/lineage?nodeId=dataset:{_NAMESPACE}_db:{{chain}}.ds_5",
    "column lineage of that chain": (
        f"/api/v1/column-lineage?nodeId=dataset:{_NAMESPACE}_db:{{chain}}.ds_5&withDownstream=true"
    ),
    "one dataset": f"{_DATASETS}/{{chain}}.ds_5",
    "one job": f"{_JOBS}/{{chain}}.job_5",
    "the runs of a job": f"{_JOBS}/{{chain}}.job_5/runs?limit=1",
    "10 datasets of a namespace": f"{_DATASETS}?limit=10&offset=500",
    "10 jobs of a namespace": f"{_JOBS}?limit=10&offset=500",
    "10 jobs of all namespaces": "/api/v1/jobs?limit=10&offset=500",
    "10 events": "/api/v1/events/lineage?limit=10&offset=500",
    "all namespaces": "/api/v1/namespaces",
}
_CHAINS_QUERIED = 100
_SECONDS_PER_QUERY = 1.5


def many_jobs(sizes: Sizes) -> Load:
    return Load("layered", sizes.many_jobs, _NAMESPACE, all_names_differ=True)


def growth(folder: Path, sizes: Sizes, progress: Progress) -> list[Figure]:
    few = Load("layered", sizes.few_jobs, _NAMESPACE, all_names_differ=True)
    many = many_jobs(sizes)
    figures = _fill(folder / "many", many, progress)
    progress(f"starting with {many.jobs:,} jobs")
    with headwater(folder / "few") as small, headwater(folder / "many") as large:
        figures += _started(large, many)
        run_load(Task(small.port, 2, load=few, events_per_request=100))
        progress("waiting for their search indexes")
        small.settle()
        large.settle()
        for what, path in QUERIES.items():
            progress(f"{what}, in {few.jobs:,} and {many.jobs:,} jobs")
            figures.append(_query(small, large, few, many, what, path))
        figures.append(_ingest(small, large, few, many, sizes, progress))
    return figures


def _fill(data: Path, many: Load, progress: Progress) -> list[Figure]:
    progress(f"ingesting {many.jobs:,} jobs with {many.datasets:,} datasets")
    with headwater(data) as server:
        report = run_load(Task(server.port, 2, load=many, events_per_request=100))
        memory = server.rss_bytes()
        progress("stopping that server")
    size = bytes_in(data) / report.events * 1000 / 1e6
    return [
        info(
            f"ingest of {many.jobs:,} new jobs in batches",
            f"{report.per_second:,.0f}/s, {report.seconds:.0f} s in total",
            report.per_second,
        ),
        info("  disk for 1,000 of these, all names new", f"{size:.2f} MB", size),
        _memory(f"memory with {many.jobs:,} jobs, {many.datasets:,} datasets", memory, many),
    ]


def _started(large: Server, many: Load) -> list[Figure]:
    nodes = many.jobs + many.datasets
    goal = 15 * max(1.0, nodes / 400_000)
    seconds = large.startup_seconds
    return [
        _memory("  the same after a restart", large.rss_bytes(), many),
        at_most(f"start with {nodes:,} nodes", seconds, goal, f"{seconds:.1f} s", f"{goal:.0f} s"),
    ]


def _memory(what: str, memory: int, many: Load) -> Figure:
    # The goal is for 100,000 jobs; a larger set may take more in proportion.
    goal = 2 * max(1.0, many.jobs / 100_000)
    return at_most(what, memory / 2**30, goal, f"{memory / 2**30:.2f} GB", f"{goal:g} GB")


def _query(small: Server, large: Server, few: Load, many: Load, what: str, path: str) -> Figure:
    """Once for chains that were not queried before, then the same chains again and again."""
    small_paths, large_paths = _paths(path, few), _paths(path, many)
    first = [_once(small, small_paths), _once(large, large_paths)]
    again = [_repeated(small, small_paths), _repeated(large, large_paths)]
    first_ratio, ratio = (b.p50_ms / a.p50_ms for a, b in (first, again))
    worst = max(first_ratio, ratio)
    text = (
        f"{worst:.1f} × slower ({again[0].p50_ms:.1f} → {again[1].p50_ms:.1f} ms; "
        f"first {first[0].p50_ms:.1f} → {first[1].p50_ms:.1f} ms)"
    )
    return at_most(f"  {what}, {few.jobs:,} → {many.jobs:,} jobs", worst, 2, text, "2 ×")


def _paths(path: str, load: Load) -> list[str]:
    chains = load.jobs // JOBS_PER_CHAIN
    chosen = Random(5).sample(range(chains), min(_CHAINS_QUERIED, chains))
    return [path.format(chain=f"p{number}") for number in chosen]


def _once(server: Server, paths: list[str]) -> Report:
    return run_load(Task(server.port, 1, paths=paths))


def _repeated(server: Server, paths: list[str]) -> Report:
    return run_load(Task(server.port, 1, seconds=_SECONDS_PER_QUERY, warm_seconds=0.5, paths=paths))


def _ingest(small: Server, large: Server, few: Load, many: Load, sizes: Sizes, progress: Progress) -> Figure:
    """Runs of known jobs in random order, so that no cache of recent jobs helps much."""
    before: list[float] = []
    after: list[float] = []
    for number in range(sizes.rounds):
        for rounds, server, load in ((before, small, few), (after, large, many)):
            progress(f"ingest with {load.jobs:,} jobs, round {number + 1} of {sizes.rounds}")
            task = Task(server.port, sizes.connections, seconds=sizes.seconds, load=load, seed=10 + number)
            rounds.append(run_load(task).per_second)
    ratio = median_of([b / a for a, b in zip(before, after, strict=True)])
    return at_least(
        f"ingest with {many.jobs:,} jobs, compared with {few.jobs:,}",
        ratio,
        0.8,
        f"{ratio:.2f} of the rate ({median_of(before):,.0f}/s → {median_of(after):,.0f}/s)",
        "0.8",
    )
