"""`python -m bench.impact`: who is hit among 10,000, and the past beside the present.

Before every question an event comes in about something in the answer, as it does all the time in
a system that lives: the server keeps answers, but never finds one that it can give as it is.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from bench.events import Events, Load
from bench.load import EVENT_PATH, Task
from bench.report import SIZES, Figure, Say, Sizes, at_most, info, median_of, show, timed
from bench.servers import BenchError, Server, disk, headwater, run_load

_FAN = Load("fan", 5000, namespace="fan")  # 5,000 jobs and 5,000 datasets downstream of one
_TREE = Load("tree", 1000, namespace="tree")  # 1,000 jobs and 3,001 datasets
_TURNS = 3
_IMPACT = "/api/v1/impact?limit=50000&nodeId="
_ROOT = f"dataset:{_FAN.dataset_namespace}:ds_0"
_COLUMN = f"datasetField:{_FAN.dataset_namespace}:ds_0:col_1"
_TREE_ROOT = f"/api/v1/lineage?depth=1000&nodeId=dataset:{_TREE.dataset_namespace}:ds_0"


def impact(folder: Path, sizes: Sizes, say: Say) -> list[Figure]:
    data = folder / "impact"
    with headwater(data) as server:
        say("filling a store for impact")
        for load in (_FAN, _TREE):
            run_load(Task(server.port, 2, load=load, events_per_request=100))
    # Started again: nothing is in memory but the graph.
    with headwater(data) as server:
        client = _Client(server)
        first = client.timed(_IMPACT + _ROOT)
        return [
            info("impact of 10,000 nodes, the first time", f"{first * 1000:.0f} ms", first),
            *_beside_encoding(client, sizes, "impact of 10,000 nodes", _IMPACT + _ROOT, 3, say),
            *_beside_encoding(client, sizes, "impact of one column", _IMPACT + _COLUMN, None, say),
            *_grown(client, sizes, say),
            *_the_past(client, sizes, say),
        ]


class _Client:
    """One connection, on which events and questions take turns."""

    def __init__(self, server: Server) -> None:
        self._connection = HTTPConnection("127.0.0.1", server.port, timeout=120)
        self._events = {load.namespace: Events(load, seed=3) for load in (_FAN, _TREE)}
        self._touched = 0

    def ask(self, path: str, body: bytes | None = None) -> bytes:
        headers = {"Content-Type": "application/json"} if body is not None else {}
        self._connection.request("GET" if body is None else "POST", path, body, headers)
        answer = self._connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise BenchError(f"{path}: {answer.status} {text[:200].decode(errors='replace')}")
        return text

    def timed(self, path: str) -> float:
        began = time.perf_counter()
        self.ask(path)
        return time.perf_counter() - began

    def touch(self, load: Load, job: int | None = None) -> None:
        """One more run of a job, any one if it is not said which."""
        self._touched += 337
        for event in self._events[load.namespace].run(self._touched % load.jobs if job is None else job):
            self.ask(EVENT_PATH, event)

    def anew(self, path: Callable[[], str], touch: Callable[[], None], times: int) -> float:
        """Median milliseconds of an answer, with something touched before each; the first left out."""
        taken: list[float] = []
        for _ in range(times + 1):
            touch()
            taken.append(self.timed(path()) * 1000)
        return median_of(taken[1:])


def _beside_encoding(client: _Client, sizes: Sizes, what: str, path: str, goal: float | None, say: Say) -> list[Figure]:
    say(what)
    body = client.ask(path)
    decoded: Any = msgspec.json.decode(body)
    nodes = sum(len(level["nodes"]) for level in decoded["levels"])
    taken, encoding, again = [], [], []
    for _ in range(_TURNS):
        encoding.append(timed(lambda: msgspec.json.encode(decoded), sizes.queries) * 1000)
        taken.append(client.anew(lambda: path, lambda: client.touch(_FAN), sizes.queries))
        again.append(client.anew(lambda: path, lambda: None, sizes.queries))
    ratio = _ratio(taken, encoding)
    text = f"{ratio:.1f} × ({median_of(taken):.1f} ms, msgspec encodes it in {median_of(encoding):.1f} ms; "
    text += f"{nodes:,} nodes, {len(body) / 1e6:.1f} MB)"
    name = f"{what} after a change in it, beside encoding it"
    return [
        info(name, text, ratio) if goal is None else at_most(name, ratio, goal, text, f"{goal:g} ×"),
        info("  asked again while nothing changed", f"{median_of(again):.1f} ms", median_of(again)),
    ]


def _grown(client: _Client, sizes: Sizes, say: Say) -> list[Figure]:
    say("impact with a job that is new each time")
    jobs = iter(range(_FAN.jobs, _FAN.jobs + 1000))
    taken = client.anew(lambda: _IMPACT + _ROOT, lambda: client.touch(_FAN, next(jobs)), sizes.queries)
    return [info("  with a job that is new", f"{taken:.1f} ms", taken)]


def _the_past(client: _Client, sizes: Sizes, say: Say) -> list[Figure]:
    """Each question about a moment, or two, beside the same one about the present."""
    since = _moment()
    touch = lambda: client.touch(_TREE)  # noqa: E731
    tree_root = _TREE_ROOT.rpartition("=")[2]
    questions = {
        "lineage of 4,001 nodes at a moment": lambda: f"{_TREE_ROOT}&at={_moment()}",
        "difference of two moments around it": lambda: f"/api/v1/diff?from={since}&depth=1000&nodeId={tree_root}",
        "difference of everything": lambda: f"/api/v1/diff?from={since}",
    }
    figures = []
    for what, path in questions.items():
        say(what)
        now, then = [], []
        for _ in range(_TURNS):
            now.append(client.anew(lambda: _TREE_ROOT, touch, sizes.queries))
            then.append(client.anew(path, touch, sizes.queries))
        ratio = _ratio(then, now)
        text = f"{ratio:.1f} × ({median_of(then):.0f} ms, the present graph takes {median_of(now):.0f} ms)"
        figures.append(at_most(f"{what}, beside the present graph", ratio, 5, text, "5 ×"))
    return figures


def _moment() -> str:
    return quote(datetime.now(UTC).isoformat())


def _ratio(these: list[float], those: list[float]) -> float:
    """Of each turn its own, and then the middle one."""
    return median_of([this / that for this, that in zip(these, those, strict=True)])


def main() -> None:
    began = time.monotonic()
    sizes = SIZES["default"]
    with tempfile.TemporaryDirectory(prefix="headwater-bench-", dir=disk()) as folder:
        figures = impact(Path(folder), sizes, lambda text: print(text, file=sys.stderr))
    show(figures, sizes, (time.monotonic() - began) / 60)


if __name__ == "__main__":
    main()
