"""What the browser's tests share: watching a page, finding cards, accessibility, pictures."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from playwright.sync_api import ConsoleMessage, Locator, Page, Request, ViewportSize, expect

from headwater.cli.demo import recorded_events as recorded

__all__ = ["DESKTOP", "LOOKS", "PHONE", "Look", "Watched", "recorded", "streaming_event"]

KAFKA_ORDERS = "dataset:kafka://127.0.0.1:29092:orders"
SUPPLIER_STATS = "dataset:s3://warehouse:rest/default/supplier_stats"
LAKE_ORDERS = "dataset:s3://warehouse:rest/default/orders"

_AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
_MOTION = """async () => {
  const ends = (one) => one.effect.getComputedTiming().endTime !== Infinity;
  const motion = () => document.getAnimations().filter((one) => ends(one) && one.playState === "running");
  // What comes to rest may set off the next.
  for (let left = motion(); left.length > 0; left = motion()) {
    await Promise.all(left.map((one) => one.finished.catch(() => {})));
    await new Promise(requestAnimationFrame);
  }
}"""

# Where to put pictures of the views, if anywhere: PICTURES=folder pytest tests/browser
_PICTURES = os.environ.get("PICTURES")


@dataclass(frozen=True)
class Look:
    scheme: Literal["light", "dark"]


DESKTOP: ViewportSize = {"width": 1280, "height": 720}
PHONE: ViewportSize = {"width": 390, "height": 844}
LOOKS = {"light": Look("light"), "dark": Look("dark")}


class Watched:
    """A page, with what it wrote to the console and whom it called."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.allowed: list[str] = []  # parts of messages that a test provokes on purpose
        self._console: list[str] = []
        self._other_hosts: list[str] = []
        self._url = url
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self._console.append(str(error)))
        page.on("request", self._on_request)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._console.append(message.text)

    def _on_request(self, request: Request) -> None:
        if not request.url.startswith((self._url, "data:", "blob:")):
            self._other_hosts.append(request.url)

    def assert_quiet(self) -> None:
        messages = [text for text in self._console if not any(part in text for part in self.allowed)]
        assert not messages, messages
        assert not self._other_hosts, f"the page calls other hosts: {self._other_hosts}"

    # The graph

    def card(self, node_id: str) -> Locator:
        return self.page.locator(f'article[data-node="{node_id}"]')

    def assert_cards(self, count: int) -> None:
        expect(self.page.get_by_test_id("stage")).to_have_attribute("data-cards", str(count))

    def assert_wires(self, count: int) -> None:
        expect(self.page.get_by_test_id("stage")).to_have_attribute("data-wires", str(count))

    def place(self, node_id: str) -> tuple[float, float]:
        """Where a card is on the screen."""
        box = self.card(node_id).bounding_box()
        assert box is not None
        return round(box["x"]), round(box["y"])

    # All views

    def still(self) -> None:
        """Waits until no animation runs that has an end."""
        self.page.evaluate(_MOTION)

    def assert_accessible(self) -> None:
        self.still()  # what fades in is pale
        # Evaluated, not inserted: the page's policy allows no scripts but its own.
        self.page.evaluate(_AXE.read_text())
        results: Any = self.page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']})")
        violations = [
            f"{v['id']}: {v['help']}: {[n['html'][:160] + str(n.get('any', [{}])[:1])[:300] for n in v['nodes'][:3]]}"
            for v in results["violations"]
        ]
        assert not violations, "\n".join(violations)

    def picture(self, name: str) -> None:
        if _PICTURES is not None:
            self.still()
            self.page.screenshot(path=Path(_PICTURES) / f"{name}.png")


def streaming_event(
    kind: str,
    *,
    job: str = "live-stats",
    run: str | None = None,
    inputs: Sequence[str] = ("orders",),
    outputs: Sequence[str] = ("live-stats",),
    at: str = "2026-11-15T10:00:00Z",
    rate: float | None = None,
) -> dict[str, Any]:
    """A streaming job that reads and writes topics of the demo's broker."""
    facets: dict[str, Any] = {}
    if rate is not None:
        facets["headwater_streaming"] = {
            "_producer": "https://headwater.example/test",
            "_schemaURL": "https://headwater.example/test.json",
            "inputRowsPerSecond": rate,
            "outputRowsPerSecond": rate,
            "sources": [{"offsetsBehind": 42}],
        }
    topics = "kafka://127.0.0.1:29092"
    job_type = {"processingType": "STREAMING", "integration": "SPARK", "jobType": "JOB"}
    return {
        "eventType": kind,
        "eventTime": at,
        "producer": "https://headwater.example/test",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run or str(uuid4()), "facets": facets},
        "job": {
            "namespace": "live",
            "name": job,
            "facets": {"jobType": {"_producer": "https://x.example", "_schemaURL": "https://x.example", **job_type}},
        },
        "inputs": [{"namespace": topics, "name": name} for name in inputs],
        "outputs": [{"namespace": topics, "name": name} for name in outputs],
    }


def json_of(path: Path) -> Any:
    return json.loads(path.read_text())
