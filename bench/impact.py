"""`python -m bench.impact`: impact among 10,000 nodes, and the past relative to the present.

Before every query an event changes something in the answer, as happens all the time in a live
system: the server caches answers, but can never give one unchanged.
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
from bench.report import SIZES, Figure, Progress, Sizes, at_most, info, median_of, show, timed
from bench.servers import BenchError, Server, disk, headwater, run_load

_FAN = Load("fan", 5000, namespace="fan")  # 5,000 jobs and 5,000 datasets downstream of one
_TREE = Load("tree", 1000, namespace="tree")  # 1,000 jobs and 3,001 datasets
_TURNS = 3
_IMPACT = "/api/v1/impact?limit=50000&nodeId="
_ROOT = f"dataset:{_FAN.dataset_namespace}:ds_0"
_COLUMN = f"datasetField:{_FAN.dataset_namespace}:ds_0:col_1"
_TREE_ROOT = f"/api/v1/lineage?depth=1000&nodeId=dataset:{_TREE.dataset_namespace}:ds_0"


def impact(folder: Path, sizes: Sizes, progress: Progress) -> list[Figure]:
    data = folder / "impact"
    with headwater(data) as server:
        progress("filling a store for impact")
        for load in (_FAN, _TREE):
            run_load(Task(server.port, 2, load=load, events_per_request=100))
    # Restarted, so that nothing but the graph is in memory.
    with headwater(data) as server:
        client = _Client(server)
        first = client.timed(_IMPACT + _ROOT)
        return [
            info("impact of 10,000 nodes, the first time", f"{first * 1000:.0f} ms", first),
            *_relative_to_encoding(client, sizes, "impact of 10,000 nodes", _IMPACT + _ROOT, 3, progress),
            *_relative_to_encoding(client, sizes, "impact of one column", _IMPACT + _COLUMN, None, progress),
            *_grown(client, sizes, progress),
            *_the_past(client, sizes, progress),
        ]


class _Client:
    """One connection that alternates between events and queries."""

    def __init__(self, server: Server) -> None:
        self._connection = HTTPConnection("127.0.0.1", server.port, timeout=120)
        self._events = {load.namespace: Events(load, seed=3) for load in (_FAN, _TREE)}
        self._touched = 0

    def request(self, path: str, body: bytes | None = None) -> bytes:
        headers = {"Content-Type": "application/json"} if body is not None else {}
        self._connection.request("GET" if body is None else "POST", path, body, headers)
        answer = self._connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise BenchError(f"{path}: {answer.status} {text[:200].decode(errors='replace')}")
        return text

    def timed(self, path: str) -> float:
        began = time.perf_counter()
        self.request(path)
        return time.perf_counter() - began

    def touch(self, load: Load, job: int | None = None) -> None:
        """One more run of a job; by default of any job."""
        self._touched += 337
        for event in self._events[load.namespace].run(self._touched % load.jobs if job is None else job):
            self.request(EVENT_PATH, event)

    def after_change(self, path: Callable[[], str], touch: Callable[[], None], times: int) -> float:
        """Median milliseconds of an answer with a change before each, without the first."""
        times_ms: list[float] = []
        for _ in range(times + 1):
            touch()
            times_ms.append(self.timed(path()) * 1000)
        return median_of(times_ms[1:])


def _relative_to_encoding(
    client: _Client, sizes: Sizes, what: str, path: str, goal: float | None, progress: Progress
) -> list[Figure]:
    progress(what)
    body = client.request(path)
    decoded: Any = msgspec.json.decode(body)
    nodes = sum(len(level["nodes"]) for level in decoded["levels"])
    changed, encoding, unchanged = [], [], []
    for _ in range(_TURNS):
        encoding.append(timed(lambda: msgspec.json.encode(decoded), sizes.queries) * 1000)
        changed.append(client.after_change(lambda: path, lambda: client.touch(_FAN), sizes.queries))
        unchanged.append(client.after_change(lambda: path, lambda: None, sizes.queries))
    ratio = _ratio(changed, encoding)
    text = f"{ratio:.1f} × ({median_of(changed):.1f} ms, msgspec encodes it in {median_of(encoding):.1f} ms; "
    text += f"{nodes:,} nodes, {len(body) / 1e6:.1f} MB)"
    name = f"{what} after a change in it, compared with encoding it"
    return [
        info(name, text, ratio) if goal is None else at_most(name, ratio, goal, text, f"{goal:g} ×"),
        info("  cached", f"{median_of(unchanged):.1f} ms", median_of(unchanged)),
    ]


def _grown(client: _Client, sizes: Sizes, progress: Progress) -> list[Figure]:
    progress("impact with a new job each time")
    jobs = iter(range(_FAN.jobs, _FAN.jobs + 1000))
    milliseconds = client.after_change(lambda: _IMPACT + _ROOT, lambda: client.touch(_FAN, next(jobs)), sizes.queries)
    return [info("  with a new job", f"{milliseconds:.1f} ms", milliseconds)]


def _the_past(client: _Client, sizes: Sizes, progress: Progress) -> list[Figure]:
    """Each query about the past, relative to the same one about the present."""
    since = _now()
    touch = lambda: client.touch(_TREE)  # noqa: E731
    tree_root = _TREE_ROOT.rpartition("=")[2]
    queries = {
        "lineage of 4,001 nodes at a past time": lambda: f"{_TREE_ROOT}&at={_now()}",
        "diff of two times around it": lambda: f"/api/v1/diff?from={since}&depth=1000&nodeId={tree_root}",
        "diff of everything": lambda: f"/api/v1/diff?from={since}",
    }
    figures = []
    for what, path in queries.items():
        progress(what)
        now, then = [], []
        for _ in range(_TURNS):
            now.append(client.after_change(lambda: _TREE_ROOT, touch, sizes.queries))
            then.append(client.after_change(path, touch, sizes.queries))
        ratio = _ratio(then, now)
        text = f"{ratio:.1f} × ({median_of(then):.0f} ms, the present graph takes {median_of(now):.0f} ms)"
        figures.append(at_most(f"{what}, compared with the present graph", ratio, 5, text, "5 ×"))
    return figures


def _now() -> str:
    return quote(datetime.now(UTC).isoformat())


def _ratio(these: list[float], those: list[float]) -> float:
    """The median of the ratios of each turn."""
    return median_of([this / that for this, that in zip(these, those, strict=True)])


def main() -> None:
    began = time.monotonic()
    sizes = SIZES["default"]
    with tempfile.TemporaryDirectory(prefix="headwater-bench-", dir=disk()) as folder:
        figures = impact(Path(folder), sizes, lambda text: print(text, file=sys.stderr))
    show(figures, sizes, (time.monotonic() - began) / 60)


if __name__ == "__main__":
    main()
