"""The page in Chromium: first view, layout, panning, live changes. `python -m bench.page` prints its figures.

Interleaved with a control page of 50 nodes in the same browser; medians. Software rendering: no claim about GPUs.
"""

import json
import os
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

from bench.browser import Panned, View, browser
from bench.page_graph import COLUMNS, PageGraph, State
from bench.report import SIZES, Figure, Progress, Sizes, at_least, at_most, doubted, info, median_of, show
from bench.servers import BenchError, Server, disk, headwater
from headwater.api.page import FOLDER
from headwater.cli.demo import recorded_events as recorded
from tests.support.chromium import INSTALL, chromium

CONTROL = PageGraph("control", jobs=7, inputs=3, outputs=6)
MIDDLE = PageGraph("middle", jobs=250, inputs=10, outputs=3)
LARGE = PageGraph("large", jobs=1000, inputs=9, outputs=4)

CHANGES_A_SECOND, _TOGETHER = 200, 10
_SLOW_MS = 50
_CONTROL_FPS = 45  # a slower control means that the machine was too busy
_BATCH = 200

# What the page does in layoutInWorker.ts, from outside: with the worker that was built.
_LAYOUT = """
async ([address, tasks]) => {
  const worker = new Worker(address, { type: "module" });
  const ask = (task) => new Promise((resolve) => {
    const began = performance.now();
    worker.onmessage = ({ data }) => resolve([performance.now() - began, data.places]);
    worker.postMessage({ number: 1, task });
  });
  const full = ({ names, heights, links }) => ({
    boxes: names.map((id, n) => ({ id, height: heights[n], block: null, lane: null })),
    links: links.map(([from, to]) => ({ from: names[from], to: names[to] })),
    lanes: [],
    before: null,
  });
  const taken = [];
  let moved = null;
  for (const one of tasks) {
    const task = full(one);
    const [ms, places] = await ask(task);
    taken.push(ms);
    if (moved !== null) continue;
    for (let n = 0; n < 5; n++) {
      const from = task.boxes[40 + n * 150].id;
      const to = task.boxes[40 + n * 150 + 90].id;
      task.boxes.push({ id: `new ${n}`, height: 64, block: null, lane: null });
      task.links.push({ from, to: `new ${n}` }, { from: `new ${n}`, to });
    }
    const [, after] = await ask({ ...task, before: places });
    moved = [...places].filter(([id, { x, y }]) => after.get(id).x !== x || after.get(id).y !== y).length;
  }
  worker.terminate();
  return [taken, moved];
}
"""


def page(folder: Path, sizes: Sizes, progress: Progress) -> list[Figure]:
    if chromium() is None:
        return [info("the page", f"not measured: needs Chromium ({INSTALL})", 0)]
    if not (FOLDER / "index.html").exists():
        return [info("the page", "not measured: it is not built (make page)", 0)]
    with headwater(folder / "demo") as demo, headwater(folder / "graphs") as graphs, browser() as chrome:
        _send(demo, [json.loads(event) for event in recorded()])
        for graph in (CONTROL, MIDDLE):
            _send(graphs, list(graph.events()))
        return [
            *_first_view(chrome, demo, sizes, progress),
            *_layouts(chrome, demo, sizes, progress),
            *_panning(chrome, graphs, sizes, progress),
            *_live(chrome, graphs, sizes, progress),
        ]


def _send(server: Server, events: list[dict[str, Any]]) -> None:
    for start in range(0, len(events), _BATCH):
        body = json.dumps(events[start : start + _BATCH]).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{server.port}/api/v1/lineage/batch", body)
        request.add_header("Content-Type", "application/json")
        urllib.request.urlopen(request, timeout=60).close()


@contextmanager
def _open(chrome: Browser, server: Server, path: str) -> Iterator[View]:
    view = View(chrome, server, path)
    try:
        yield view
    finally:
        view.close()


def _first_view(chrome: Browser, demo: Server, sizes: Sizes, progress: Progress) -> list[Figure]:
    progress("page: first view of the demo's graph")
    times = []
    for _ in range(sizes.rounds + 2):
        with _open(chrome, demo, "/graph") as view:
            times.append(view.shown_after_load_ms())
    after_load = median_of([one[0] for one in times])
    in_all = median_of([one[1] for one in times])
    text = f"{after_load:.0f} ms after load, {in_all:.0f} ms in all"
    return [at_most("page: first view of the demo's graph, empty cache", after_load, 1000, text, "1 s after load")]


def _layouts(chrome: Browser, demo: Server, sizes: Sizes, progress: Progress) -> list[Figure]:
    address = f"/assets/{next((FOLDER / 'assets').glob('layout.worker-*.js')).name}"
    figures = []
    with _open(chrome, demo, "/icon.svg") as view:
        for graph, goal in ((MIDDLE, 300), (LARGE, 1500)):
            progress(f"page: layout of {graph.node_count:,} nodes")
            task = graph.task()
            taken, moved = view.page.evaluate(_LAYOUT, [address, [task] * max(3, sizes.rounds)])
            what = f"page: layout in the worker, {graph.node_count:,} nodes, {graph.edge_count:,} edges"
            ms = median_of(taken)
            columns = len(task["links"]) - graph.edge_count
            text = f"{ms:.0f} ms ({columns:,} more where columns flow; {COLUMNS} columns a card)"
            figures.append(at_most(what, ms, goal, text, f"{goal} ms"))
            if graph is MIDDLE:
                share = moved / graph.node_count
                text = f"{moved} of {graph.node_count:,}"
                figures.append(at_most("page: · old nodes that move when 5 come", share, 0.01, text, "1 %"))
    return figures


def _panning(chrome: Browser, graphs: Server, sizes: Sizes, progress: Progress) -> list[Figure]:
    rounds, seconds = max(1, sizes.rounds), min(4.0, sizes.seconds)
    seen: dict[str, list[Panned]] = {"control": [], "out": [], "in": []}
    with (
        _open(chrome, graphs, _address(CONTROL)) as control,
        _open(chrome, graphs, _address(MIDDLE)) as far,
        _open(chrome, graphs, _address(MIDDLE)) as near,
    ):
        for view in (control, far, near):
            view.wait_for_graph()
        near.page.bring_to_front()
        near.zoom_in()
        views = {"control": control, "out": far, "in": near}
        for view in views.values():
            view.page.bring_to_front()
            view.pan(0.5)  # so that everything was drawn once
        for number in range(rounds):
            progress(f"page: panning, round {number + 1} of {rounds}")
            for name, view in views.items():
                view.page.bring_to_front()
                seen[name].append(view.pan(seconds))
    fps = {name: median_of([one.frames_a_second for one in pans]) for name, pans in seen.items()}
    busy = {name: median_of([one.busy_ms for one in pans]) for name, pans in seen.items()}
    figures = [info("page: panning the control of 50 nodes", f"{fps['control']:.0f} frames/s", fps["control"])]
    goals = (("out", "zoomed out", 0.9, 2, 100), ("in", "zoomed in", 0.7, 3, 1500))
    for name, words, rate, work, most in goals:
        elements = max(one.elements for one in seen[name])
        share, times = fps[name] / fps["control"], busy[name] / busy["control"]
        text = f"{share:.2f} of the control ({fps[name]:.0f} frames/s)"
        figures += [
            at_least(f"page: panning {MIDDLE.node_count:,} nodes {words}", share, rate, text, f"{rate}"),
            at_most("page: · busy for each frame", times, work, f"{times:.1f} × ({busy[name]:.1f} ms)", f"{work} ×"),
            at_most("page: · elements", elements, most, f"{elements:,}", f"{most:,}"),
        ]
    if fps["control"] >= _CONTROL_FPS:
        return figures
    return [doubted(figure, "the machine was busy: the control was below 45 frames/s") for figure in figures]


def _address(graph: PageGraph) -> str:
    return f"/graph?namespace={graph.namespace}"


# Live


class _Sender(threading.Thread):
    """Sends runs of all jobs in turn, so many changes a second; knows the last state of each job."""

    def __init__(self, server: Server, seconds: float) -> None:
        super().__init__(daemon=True)
        self.sent = 0
        self.states: dict[str, str] = {}
        self._server, self._seconds, self._name = server, seconds, time.time_ns()

    def run(self) -> None:
        began = time.monotonic()
        for number in range(int(self._seconds * CHANGES_A_SECOND / _TOGETHER)):
            time.sleep(max(0, began + number * _TOGETHER / CHANGES_A_SECOND - time.monotonic()))
            _send(self._server, [self._next() for _ in range(_TOGETHER)])

    def _next(self) -> dict[str, Any]:
        """Each job starts, and the next time it comes to an end."""
        job, time_around = self.sent % MIDDLE.jobs, self.sent // MIDDLE.jobs
        kind: State = "START" if time_around % 2 == 0 else "COMPLETE"
        self.states[MIDDLE.node_id(job)] = "RUNNING" if kind == "START" else "COMPLETED"
        self.sent += 1
        return MIDDLE.event(job, kind, run=f"{self._name} {job} {time_around // 2}")


def _live(chrome: Browser, graphs: Server, sizes: Sizes, progress: Progress) -> list[Figure]:
    seconds = 15 if sizes.name == "quick" else 60
    figures = []
    for what, path in (("graph", _address(MIDDLE)), ("events page", "/events")):
        progress(f"page: {CHANGES_A_SECOND} live changes a second on the {what}")
        with _open(chrome, graphs, path) as view:
            figures += _changing(view, graphs, what, seconds)
    return figures


def _changing(view: View, graphs: Server, what: str, seconds: float) -> list[Figure]:
    if what == "graph":
        view.wait_for_graph()
        view.zoom_in()
    view.page.get_by_text("Live", exact=True).wait_for()
    # What the page keeps of the first changes is not growth.
    _follow(view, _Sender(graphs, 5))
    before = view.heap_bytes()
    view.begin_frames()
    sender = _Sender(graphs, seconds)
    received = _follow(view, sender)
    frames = view.frames_ms()
    after = view.heap_bytes()
    grown = (after - before) / 1e6
    slow = sum(ms > _SLOW_MS for ms in frames) / len(frames)
    applied = received if what != "graph" else min(received, _right(view, sender))
    rate = len(frames) / (sum(frames) / 1000)
    return [
        at_least(f"page: {CHANGES_A_SECOND} live changes/s, {what}: applied", applied, 1, f"{applied:.1%}", "all"),
        at_most("page: · frames over 50 ms", slow, 0.03, f"{slow:.1%} ({rate:.0f} frames/s)", "3 %"),
        at_most("page: · heap after collection", grown, 30, f"{grown:+.1f} MB ({after / 1e6:.0f} MB)", "30 MB more"),
    ]


def _follow(view: View, sender: _Sender) -> float:
    """Waits until the page has what is sent; gives the share that it got."""
    before = view.changes()
    sender.start()
    while sender.is_alive():
        view.page.wait_for_timeout(200)
    deadline = time.monotonic() + 20
    while (got := view.changes() - before) < sender.sent and time.monotonic() < deadline:
        view.page.wait_for_timeout(100)
    return got / sender.sent


def _right(view: View, sender: _Sender) -> float:
    """The share of the cards in the window that show the state that was sent last."""
    cards = "[...document.querySelectorAll('article[data-kind=job]')]"
    shown: dict[str, str] = dict(view.page.evaluate(f"{cards}.map((card) => [card.dataset.node, card.dataset.state])"))
    if not shown:
        raise BenchError("no job in the window")
    return sum(sender.states.get(job) == state for job, state in shown.items()) / len(shown)


def main() -> None:
    sizes, began = SIZES[os.environ.get("BENCH") or "default"], time.monotonic()
    with tempfile.TemporaryDirectory(prefix="headwater-bench-", dir=disk()) as folder:
        figures = page(
            Path(folder), sizes, lambda text: print(f"{time.monotonic() - began:6.1f} s  {text}", flush=True)
        )
    show(figures, sizes, (time.monotonic() - began) / 60)


if __name__ == "__main__":
    main()
