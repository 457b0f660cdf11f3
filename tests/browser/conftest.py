"""A real browser in front of a real server that has the demo's events."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

pytest.register_assert_rewrite("tests.browser.support")

from headwater.api.page import FOLDER  # noqa: E402
from tests.browser.support import DESKTOP, LOOKS, Look, Watched, recorded  # noqa: E402
from tests.support.chromium import ARGUMENTS, INSTALL, chromium  # noqa: E402
from tests.support.server import Server  # noqa: E402

OpenPage = Callable[..., Watched]

# Busy machines take their time; what takes longer is broken.
PATIENCE_MS = 15_000
expect.set_options(timeout=PATIENCE_MS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    missing = None
    if chromium() is None:
        missing = f"needs Chromium ({INSTALL})"
    elif not (FOLDER / "index.html").exists():
        missing = "needs the page: make page"
    for item in items:
        if here not in item.path.parents:
            continue
        if missing is not None:
            raise pytest.UsageError(f"{item.nodeid} {missing}")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with the demo's events, which tests only look at."""
    server = Server(tmp_path_factory.mktemp("demo") / "data")
    try:
        server.start()
        assert server.post_batch(b"[" + b",".join(recorded()) + b"]").status_code == 204
        yield server
    finally:
        server.end()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Opens pages; an error or warning on the console, or a request to another host, fails the test."""
    opened: list[Watched] = []

    def open_one(
        server: Server,
        path: str = "/graph",
        look: Look = LOOKS["light"],
        window: ViewportSize = DESKTOP,
        **options: Any,
    ) -> Watched:
        context = browser.new_context(viewport=window, color_scheme=look.scheme, base_url=server.url, **options)
        context.set_default_timeout(PATIENCE_MS)
        page: Page = context.new_page()
        watched = Watched(page, server.url)
        opened.append(watched)
        page.goto(path)
        return watched

    yield open_one
    try:
        for watched in opened:
            watched.assert_quiet()
    finally:
        for watched in opened:
            watched.page.context.close()
