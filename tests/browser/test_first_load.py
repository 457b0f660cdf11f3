"""How much a browser has to load before there is something to see. A size is no timing: it may be asserted."""

from urllib.parse import quote

import pytest
from playwright.sync_api import Response, expect

from tests.browser.conftest import OpenPage
from tests.browser.support import KAFKA_ORDERS
from tests.support.server import Server

MOST_BYTES = 260_000  # of JavaScript, as it is sent
PATHS = {"home": "/", "graph": "/graph", "around a node": f"/graph?node={quote(KAFKA_ORDERS)}"}


@pytest.mark.parametrize("view", PATHS)
def test_the_first_look_needs_little_javascript(demo: Server, open_page: OpenPage, view: str) -> None:
    seen = open_page(demo, "about:blank")
    sizes: dict[str, int] = {}

    def note(answer: Response) -> None:
        if answer.url.endswith(".js"):
            sizes[answer.url.rpartition("/")[2]] = int(answer.headers["content-length"])

    seen.page.on("response", note)
    seen.page.goto(PATHS[view])
    if view == "home":
        expect(seen.page.get_by_role("heading", name="Running now")).to_be_visible()
    else:
        expect(seen.page.get_by_test_id("stage")).not_to_have_attribute("data-cards", "0")
    # Also what it loads by itself a moment later.
    seen.page.evaluate("new Promise(requestIdleCallback)")
    assert sizes, "no JavaScript was seen"
    table = "\n".join(f"{size:9,} {name}" for name, size in sorted(sizes.items(), key=lambda one: -one[1]))
    assert sum(sizes.values()) <= MOST_BYTES, f"{sum(sizes.values()):,} bytes\n{table}"
