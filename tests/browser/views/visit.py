"""One page that goes from view to view."""

import json
from typing import Any

from playwright.sync_api import Page

from tests.browser.conftest import OpenPage
from tests.browser.support import Watched, recorded
from tests.browser.views.shop import Shop
from tests.support.server import Server


class Visit:
    """Opens its page with the first address. An error or warning on the console fails the test."""

    def __init__(self, open_page: OpenPage, server: Server, **options: Any) -> None:
        self.server = server
        self._open, self._options = open_page, options
        self._watched: Watched | None = None

    def go(self, path: str) -> Page:
        if self._watched is None:
            self._watched = self._open(self.server, path, **self._options)
        else:
            self.page.goto(path)
        return self.page

    @property
    def watched(self) -> Watched:
        assert self._watched is not None, "no page was opened yet"
        return self._watched

    @property
    def page(self) -> Page:
        return self.watched.page

    def is_too_wide(self) -> bool:
        return bool(self.page.evaluate("document.documentElement.scrollWidth > innerWidth + 1"))


def send(server: Server, events: list[dict[str, Any]]) -> None:
    answer = server.post_batch(events)
    assert answer.status_code == 204, answer.text


def everything() -> list[dict[str, Any]]:
    """The demo's recorded events, and a shop's pipeline as of now."""
    return [json.loads(event) for event in recorded()] + Shop().events()
