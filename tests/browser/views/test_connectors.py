"""The view of connectors on servers that know no cluster, or none that answers; on a real worker: tests/connect."""

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.support import PHONE
from tests.browser.views.visit import Visit
from tests.support.server import Server


def test_a_server_without_a_cluster_says_how_to_give_it_one(visit: Visit) -> None:
    page = visit.go("/")
    page.get_by_role("link", name="Connectors").click()
    expect(page.get_by_text("No Connect cluster configured")).to_be_visible()
    expect(page.get_by_text("headwater serve --connect")).to_be_visible()
    expect(page.get_by_role("button", name="Deploy")).to_have_count(0)
    visit.watched.assert_accessible()
    page.set_viewport_size(PHONE)
    assert not visit.is_too_wide()


def test_a_cluster_that_does_not_answer_is_named(open_page: OpenPage, tmp_path: Path) -> None:
    server = Server(tmp_path / "data", env={"HEADWATER_CONNECT": "east=http://127.0.0.1:9"}).start()
    try:
        page = open_page(server, "/connectors").page
        expect(page.get_by_role("alert")).to_contain_text("east does not answer")
    finally:
        server.end()
