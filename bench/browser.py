"""Chromium with measurements: frames, busy time, memory."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import cos, sin
from time import monotonic, sleep
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from bench.servers import BenchError, Server
from tests.support.chromium import ARGUMENTS, chromium

WINDOW = {"width": 1280, "height": 720}
_FRAMES = ["devtools.timeline.frame", "disabled-by-default-devtools.timeline.frame"]
_PATIENCE_MS = 60_000

# When the first cards are there; how long frames take; how many changes came in.
_WATCH = """
window.watched = {frames: [], changes: 0};
watched.shown = new Promise((resolve) => {
  const look = () => {
    const stage = document.querySelector("[data-testid=stage]");
    if (stage === null || stage.dataset.cards === "0") requestAnimationFrame(look);
    // Drawn with this frame, on the screen before the next.
    else requestAnimationFrame(() => resolve(performance.now()));
  };
  requestAnimationFrame(look);
});
const listen = EventSource.prototype.addEventListener;
EventSource.prototype.addEventListener = function (name, listener) {
  const counted = name !== "change" ? listener : (message) => { listener(message); watched.changes++; };
  listen.call(this, name, counted);
};
"""
_COUNT_FRAMES = """
() => {
  watched.frames = [];
  let last = performance.now();
  const frame = (now) => {
    watched.frames.push(now - last);
    last = now;
    watched.next = requestAnimationFrame(frame);
  };
  watched.next = requestAnimationFrame(frame);
}
"""
_FRAMES_COUNTED = "() => { cancelAnimationFrame(watched.next); return watched.frames; }"


@contextmanager
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        try:
            yield started
        finally:
            started.close()


@dataclass(frozen=True)
class Panned:
    frames_a_second: float  # that were drawn
    busy_ms: float  # of the page's own thread, for each of them
    elements: int


class View:
    """One page in a context of its own, with an empty cache."""

    def __init__(self, browser: Browser, server: Server, path: str) -> None:
        self._browser = browser
        context = browser.new_context(viewport=WINDOW, base_url=f"http://127.0.0.1:{server.port}")  # type: ignore[arg-type]
        context.set_default_timeout(_PATIENCE_MS)
        context.add_init_script(_WATCH)
        self.page: Page = context.new_page()
        self._inside: CDPSession = context.new_cdp_session(self.page)
        self._inside.send("Performance.enable")
        self.page.goto(path)

    def close(self) -> None:
        self.page.context.close()

    def wait_for_graph(self) -> None:
        self.page.evaluate("watched.shown")

    def shown_after_load_ms(self) -> tuple[float, float]:
        """Milliseconds since the page was loaded, and since it was requested."""
        shown: float = self.page.evaluate("watched.shown")
        loaded: float = self.page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
        return max(0.0, shown - loaded), shown

    def zoom_in(self) -> None:
        """To the fifth card of a chain, by keyboard, and with the wheel until cards can be read."""
        for _ in range(5):
            self.page.keyboard.press("ArrowRight")
            self.page.wait_for_timeout(250)
        self.page.keyboard.press("Escape")
        self.page.mouse.move(WINDOW["width"] / 2, WINDOW["height"] / 2)
        for _ in range(40):
            if self._zoom() >= 0.85:
                return
            self.page.mouse.wheel(0, -120)
            self.page.wait_for_timeout(60)
        raise BenchError(f"the graph cannot be zoomed in: it is at {self._zoom()}")

    def _zoom(self) -> float:
        style = self.page.locator(".react-flow__viewport").get_attribute("style") or ""
        return float(style.rpartition("scale(")[2].partition(")")[0])

    def pan(self, seconds: float) -> Panned:
        """Drags the graph about with the mouse."""
        x, y = WINDOW["width"] / 2, WINDOW["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self._browser.start_tracing(page=self.page, categories=_FRAMES)
        busy, began = self._busy_seconds(), monotonic()
        while (at := monotonic() - began) < seconds:
            self.page.mouse.move(x + 420 * sin(2.1 * at), y + 220 * (1 - cos(1.3 * at)) / 2)
            sleep(0.004)  # several moves for each frame
        taken, busy = monotonic() - began, self._busy_seconds() - busy
        trace = json.loads(self._browser.stop_tracing())
        elements = self.page.locator("[data-testid=stage] *").count()
        self.page.mouse.up()
        drawn = sum(event["name"] == "DrawFrame" for event in trace["traceEvents"])
        return Panned(drawn / taken, 1000 * busy / max(1, drawn), elements)

    def begin_frames(self) -> None:
        self.page.evaluate(_COUNT_FRAMES)

    def frames_ms(self) -> list[float]:
        """The duration of each frame since counting started."""
        frames: list[float] = self.page.evaluate(_FRAMES_COUNTED)
        return frames

    def changes(self) -> int:
        """Updates received from the live stream."""
        return int(self.page.evaluate("watched.changes"))

    def heap_bytes(self) -> float:
        self._inside.send("HeapProfiler.collectGarbage")
        return self._metrics()["JSHeapUsedSize"]

    def _busy_seconds(self) -> float:
        return self._metrics()["TaskDuration"]

    def _metrics(self) -> dict[str, float]:
        answer: Any = self._inside.send("Performance.getMetrics")
        return {one["name"]: one["value"] for one in answer["metrics"]}
