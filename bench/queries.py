"""Large answers: beside the time that encoding them takes, and while events come in."""

import json
from pathlib import Path

import msgspec
from msgspec.structs import replace

from bench.events import Load
from bench.load import Task
from bench.report import Figure, Say, Sizes, at_least, at_most, info, median_of, timed
from bench.servers import Server, headwater, run_load, run_together

_TREE = Load("tree", 1000, namespace="tree")  # 1,000 jobs and 3,001 datasets
_CHAIN = Load("chain", 125, namespace="chain")  # 126 × 20 columns and 125 × 20 beside the chain
_INTAKE = Load("layered", 1000, namespace="intake")  # apart from both, so that they stay as they are

_TURNS = 3
_TREE_PATH = f"/api/v1/lineage?nodeId=dataset:{_TREE.dataset_namespace}:ds_0"
_CHAIN_PATH = f"/api/v1/column-lineage?nodeId=dataset:{_CHAIN.dataset_namespace}:ds_{_CHAIN.jobs}"


def _made_anew(path: str) -> list[str]:
    """The whole graph each time, but never the same question: the server keeps answers as long
    as nothing in them changes, and in a graph that lives something always does."""
    return [f"{path}&depth={depth}" for depth in range(1000, 1200)]


def _kept(path: str) -> list[str]:
    return [f"{path}&depth=1000"]


def answers(folder: Path, sizes: Sizes, say: Say) -> list[Figure]:
    with headwater(folder / "answers") as server:
        say("filling a store for queries")
        for load in (_TREE, _CHAIN):
            run_load(Task(server.port, 2, load=load, events_per_request=100))
        return [
            *_large_answer(server, sizes, "lineage", _TREE_PATH, say),
            *_large_answer(server, sizes, "column lineage", _CHAIN_PATH, say),
            *_mixed(server, sizes, "made anew", _made_anew(_TREE_PATH), say),
            *_mixed(server, sizes, "kept", _kept(_TREE_PATH), say),
        ]


def _large_answer(server: Server, sizes: Sizes, what: str, path: str, say: Say) -> list[Figure]:
    body = server.get(_kept(path)[0])
    decoded = msgspec.json.decode(body)
    nodes = len(decoded["graph"])
    say(f"{what} of {nodes:,} nodes")
    encoding, dumping, anew, again = [], [], [], []
    # In turns, as with the intake. The first few queries do not count: what is measured is the
    # graph, not the disk.
    for _ in range(_TURNS):
        encoding.append(timed(lambda: msgspec.json.encode(decoded), sizes.queries) * 1000)
        dumping.append(timed(lambda: json.dumps(decoded), sizes.queries // 4) * 1000)
        task = Task(server.port, 1, seconds=sizes.queries * 0.1, paths=_made_anew(path))
        anew.append(run_load(task).p50_ms)
        again.append(run_load(replace(task, paths=_kept(path))).p50_ms)
    ratio, kept_ratio, with_json = _ratio(anew, encoding), _ratio(again, encoding), _ratio(anew, dumping)
    text = f"{median_of(anew):.0f} ms, msgspec encodes it in {median_of(encoding):.1f} ms; {len(body) / 1e6:.1f} MB"
    return [
        at_most(f"{what} of {nodes:,} nodes beside encoding it", ratio, 3, f"{ratio:.1f} × ({text})", "3 ×"),
        info("  asked again while nothing changed", f"{kept_ratio:.1f} × ({median_of(again):.0f} ms)", kept_ratio),
        info(
            "  made anew, beside Python's own json instead",
            f"{with_json:.2f} × (json.dumps takes {median_of(dumping):.0f} ms)",
            with_json,
        ),
    ]


def _ratio(these: list[float], those: list[float]) -> float:
    """Of each turn its own, and then the middle one."""
    return median_of([this / that for this, that in zip(these, those, strict=True)])


def _mixed(server: Server, sizes: Sizes, how: str, paths: list[str], say: Say) -> list[Figure]:
    intake = Task(server.port, sizes.connections, seconds=sizes.seconds, load=_INTAKE)
    asking = Task(server.port, 2, seconds=sizes.seconds, paths=paths)
    alone, together, asked = [], [], []
    for number in range(sizes.rounds):
        say(f"mixed load, answers {how}: intake alone, round {number + 1} of {sizes.rounds}")
        alone.append(run_load(intake))
        say(f"mixed load, answers {how}: with two clients that query, round {number + 1} of {sizes.rounds}")
        events, queries = run_together(intake, asking)
        together.append(events)
        asked.append(queries)
    before, during = [a.per_second for a in alone], [t.per_second for t in together]
    ratio = _ratio(during, before)
    p99 = median_of([t.p99_ms for t in together])
    queries_per_second = median_of([q.per_second for q in asked])
    slow = median_of([q.p50_ms for q in asked])
    return [
        at_least(
            f"intake while 2 clients query 4,001 nodes, {how}",
            ratio,
            1 / 2,
            f"{ratio:.2f} of that without ({median_of(during):,.0f}/s, without {median_of(before):,.0f}/s)",
            "1/2",
        ),
        at_most("  p99 of the intake meanwhile", p99, 250, f"{p99:.0f} ms", "250 ms"),
        info("  queries meanwhile", f"{queries_per_second:.1f}/s, p50 {slow:.0f} ms", queries_per_second),
    ]
