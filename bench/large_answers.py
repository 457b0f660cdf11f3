"""Large answers: relative to the time it takes to encode them, and during ingest."""

import json
import time
from functools import partial
from pathlib import Path

import msgspec
from msgspec.structs import replace

from bench.events import Load
from bench.load import Task
from bench.report import Figure, Progress, Sizes, at_least, at_most, info, median_of, timed
from bench.servers import Server, headwater, run_load, run_together

_TREE = Load("tree", 1000, namespace="tree")  # 1,000 jobs and 3,001 datasets
_CHAIN = Load("chain", 125, namespace="chain")  # 126 × 20 columns and 125 × 20 beside the chain
_INGEST = Load("layered", 1000, namespace="ingest")  # apart from both, so that these do not change

_TURNS = 3
_TREE_PATH = f"/api/v1/lineage?nodeId=dataset:{_TREE.dataset_namespace}:ds_0"
_CHAIN_PATH = f"/api/v1/column-lineage?nodeId=dataset:{_CHAIN.dataset_namespace}:ds_{_CHAIN.jobs}"


def _uncached(path: str) -> list[str]:
    """The whole graph, but never the same query twice: the server caches answers as long as nothing
    in them changes, and in a live graph something always does."""
    return [f"{path}&depth={depth}" for depth in range(1000, 1200)]


def _cached(path: str) -> list[str]:
    return [f"{path}&depth=1000"]


def large_answers(folder: Path, sizes: Sizes, progress: Progress) -> list[Figure]:
    with headwater(folder / "answers") as server:
        progress("filling a store for large answers")
        for load in (_TREE, _CHAIN):
            run_load(Task(server.port, 2, load=load, events_per_request=100))
        figures = [
            *_large_answer(server, sizes, "lineage", _TREE_PATH, progress),
            *_large_answer(server, sizes, "column lineage", _CHAIN_PATH, progress),
            *_mixed(server, sizes, "not cached", _uncached(_TREE_PATH), progress),
            *_mixed(server, sizes, "cached", _cached(_TREE_PATH), progress),
        ]
    return [*figures, *_first_answer(folder / "answers", sizes, progress)]


def _first_answer(data: Path, sizes: Sizes, progress: Progress) -> list[Figure]:
    """Right after a start nothing of the graph is cached."""
    first, encoding = [], []
    for number in range(_TURNS):
        progress(f"first answer after a start, {number + 1} of {_TURNS}")
        with headwater(data) as server:
            server.settle()
            began = time.perf_counter()
            body = server.get(_cached(_TREE_PATH)[0])
            first.append((time.perf_counter() - began) * 1000)
        decoded = msgspec.json.decode(body)
        encoding.append(timed(partial(msgspec.json.encode, decoded), sizes.queries) * 1000)
    ratio = _ratio(first, encoding)
    text = f"{ratio:.1f} × ({median_of(first):.0f} ms, msgspec encodes it in {median_of(encoding):.1f} ms)"
    return [at_most("first answer for 4,001 nodes after a start, relative to encoding it", ratio, 3, text, "3 ×")]


def _large_answer(server: Server, sizes: Sizes, what: str, path: str, progress: Progress) -> list[Figure]:
    body = server.get(_cached(path)[0])
    decoded = msgspec.json.decode(body)
    nodes = len(decoded["graph"])
    progress(f"{what} of {nodes:,} nodes")
    encoding, dumping, uncached, cached = [], [], [], []
    # In turns, as with ingest. The first few queries do not count: the graph is measured, not the
    # disk.
    for _ in range(_TURNS):
        encoding.append(timed(lambda: msgspec.json.encode(decoded), sizes.queries) * 1000)
        dumping.append(timed(lambda: json.dumps(decoded), sizes.queries // 4) * 1000)
        task = Task(server.port, 1, seconds=sizes.queries * 0.1, paths=_uncached(path))
        uncached.append(run_load(task).p50_ms)
        cached.append(run_load(replace(task, paths=_cached(path))).p50_ms)
    ratio, cached_ratio = _ratio(uncached, encoding), _ratio(cached, encoding)
    json_ratio = _ratio(uncached, dumping)
    text = f"{median_of(uncached):.0f} ms, msgspec encodes it in {median_of(encoding):.1f} ms; {len(body) / 1e6:.1f} MB"
    return [
        at_most(f"{what} of {nodes:,} nodes, compared with encoding it", ratio, 3, f"{ratio:.1f} × ({text})", "3 ×"),
        info("  cached", f"{cached_ratio:.1f} × ({median_of(cached):.0f} ms)", cached_ratio),
        info(
            "  not cached, compared with Python's own json",
            f"{json_ratio:.2f} × (json.dumps takes {median_of(dumping):.0f} ms)",
            json_ratio,
        ),
    ]


def _ratio(these: list[float], those: list[float]) -> float:
    """The median of the ratios of each turn."""
    return median_of([this / that for this, that in zip(these, those, strict=True)])


def _mixed(server: Server, sizes: Sizes, how: str, paths: list[str], progress: Progress) -> list[Figure]:
    ingest = Task(server.port, sizes.connections, seconds=sizes.seconds, load=_INGEST)
    queries = Task(server.port, 2, seconds=sizes.seconds, paths=paths)
    alone, together, answered = [], [], []
    for number in range(sizes.rounds):
        progress(f"mixed load, answers {how}: ingest alone, round {number + 1} of {sizes.rounds}")
        alone.append(run_load(ingest))
        progress(f"mixed load, answers {how}: with two querying clients, round {number + 1} of {sizes.rounds}")
        event_report, query_report = run_together(ingest, queries)
        together.append(event_report)
        answered.append(query_report)
    before, during = [a.per_second for a in alone], [t.per_second for t in together]
    ratio = _ratio(during, before)
    p99 = median_of([t.p99_ms for t in together])
    queries_per_second = median_of([q.per_second for q in answered])
    slow = median_of([q.p50_ms for q in answered])
    return [
        at_least(
            f"ingest while 2 clients query 4,001 nodes, {how}",
            ratio,
            1 / 2,
            f"{ratio:.2f} of that without ({median_of(during):,.0f}/s, without {median_of(before):,.0f}/s)",
            "1/2",
        ),
        at_most("  p99 of ingest meanwhile", p99, 250, f"{p99:.0f} ms", "250 ms"),
        info("  queries meanwhile", f"{queries_per_second:.1f}/s, p50 {slow:.0f} ms", queries_per_second),
    ]
