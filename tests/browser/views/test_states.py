"""What is not there, what is broken, what is strange; light and dark, small screens, everybody's eyes and hands."""

import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import OpenPage
from tests.browser.support import LOOKS, PHONE
from tests.browser.views.shop import Shop
from tests.browser.views.visit import Visit, send
from tests.support.server import Server

JOB = quote("job:shop:clean_prices", safe="")
PRICES = quote("dataset:s3://warehouse:shop/prices", safe="")
TOTALS = quote("dataset:s3://warehouse:shop/totals", safe="")
COLUMN = quote("datasetField:s3://warehouse:shop/prices:price", safe="")

# Each with a text that is there when all of it is.
VIEWS = {
    "home": ("/", "Restarts, last 24 h"),
    "engines": ("/?view=engines", "Kafka Connect"),
    "search": ("/search?q=price", "results"),
    "events": ("/events", "orders-source"),
    "impact": (f"/impact?node={PRICES}", "2 jobs away"),
    "why": (f"/why?node={TOTALS}", "Checked "),
    "compare": ("/compare?from=2026-01-01T00:00:00Z", "Jobs and datasets"),
    "job": (f"/?details={JOB}", "team:prices"),
    "runs": (f"/?details={JOB}&tab=runs", "12 of 12 runs"),
    "run": (f"/?details={JOB}&tab=run", "Read 1 dataset"),
    "code": (f"/?details={JOB}&tab=code", "def clean"),
    "facets": (f"/?details={JOB}&tab=facets", "As sent"),
    "dataset": (f"/?details={PRICES}", "Rows per write"),
    "schema": (f"/?details={PRICES}&tab=schema", "type changed"),
    "column": (f"/?details={COLUMN}", "Downstream"),
}


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_everybody_can_use_it(open_page: OpenPage, shop: Server, view: str, look: str) -> None:
    path, text = VIEWS[view]
    seen = open_page(shop, path, LOOKS[look])
    expect(seen.page.get_by_text(text).first).to_be_visible()
    seen.assert_accessible()
    seen.picture(f"view-{view}-{look}")


@pytest.mark.parametrize("view", ["home", "search", "events", "impact", "why", "compare", "job", "run", "schema"])
def test_it_is_readable_on_a_phone(open_page: OpenPage, shop: Server, view: str) -> None:
    path, text = VIEWS[view]
    visit = Visit(open_page, shop, window=PHONE)
    page = visit.go(path)
    expect(page.get_by_text(text).first).to_be_visible()
    assert not visit.is_too_wide()
    visit.watched.picture(f"phone-{view}")


def test_the_server_goes_and_comes_back(open_page: OpenPage, server: Server) -> None:
    send(server, Shop().events())
    visit = Visit(open_page, server)
    page = visit.go("/")
    expect(page.get_by_role("region", name="Running now")).to_contain_text("enrich")
    visit.watched.allowed += [
        "ERR_CONNECTION_REFUSED",
        "ERR_EMPTY_RESPONSE",
        "ERR_INCOMPLETE",
        "ERR_CONNECTION_RESET",
        "preload",
    ]
    port = server.port
    server.stop()
    expect(page.get_by_text("Disconnected")).to_be_visible()
    page.get_by_role("link", name="Events").click()
    expect(page.get_by_role("alert")).to_contain_text("Cannot reach the server")
    expect(page.get_by_role("region", name="the command")).to_have_text("headwater serve")
    visit.watched.picture("server-gone-light")
    server.start(port)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("list", name="Events").get_by_role("listitem").first).to_contain_text("enrich")
    expect(page.get_by_text("Live", exact=True)).to_be_visible()


def test_a_server_error_is_shown_as_such(visit: Visit) -> None:
    page = visit.go("/search")
    visit.watched.allowed.append("500")

    def broken(route: Route) -> None:
        route.fulfill(status=500, json={"code": 500, "message": "boom", "details": None, "errors": []})

    page.route(re.compile("/api/v1/search"), broken)
    page.get_by_role("textbox", name="Search for").fill("orders")
    expect(page.get_by_role("alert")).to_contain_text("Server error")
    expect(page.get_by_role("alert")).to_contain_text("boom")
    page.unroute(re.compile("/api/v1/search"))
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("list", name="Results")).to_contain_text("orders")


def test_an_answer_that_is_no_json_is_survived(visit: Visit) -> None:
    page = visit.go("/search")
    visit.watched.allowed.append("502")
    page.route(re.compile("/api/v1/search"), lambda route: route.fulfill(status=502, body="<html>Bad Gateway"))
    page.get_by_role("textbox", name="Search for").fill("orders")
    expect(page.get_by_role("alert")).to_contain_text("502")


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server full of names that are hard on a page."""
    server = Server(tmp_path_factory.mktemp("bad") / "data")
    try:
        send(server.start(), Shop().bad_names())
        yield server
    finally:
        server.end()


@pytest.mark.parametrize("path", ["/", "/events", "/search?q=script", "/search?q=long", "/compare"])
def test_bad_names_stay_in_their_place(open_page: OpenPage, bad: Server, path: str) -> None:
    visit = Visit(open_page, bad)
    page = visit.go(path)
    expect(page.locator("main")).to_contain_text("script" if "long" not in path else "long_")
    assert page.evaluate("window.hacked") is None
    assert not visit.is_too_wide()
    visit.watched.assert_accessible()
    visit.watched.picture(f"bad{re.sub(r'[^a-z]', '-', path)}")


@pytest.mark.parametrize("name", range(3), ids=["script", "long", "right to left"])
def test_details_of_bad_names(open_page: OpenPage, bad: Server, name: int) -> None:
    job = Shop().bad_names()[2 * name]["job"]["name"]
    visit = Visit(open_page, bad)
    page = visit.go(f"/?details={quote(f'job:shop:{job}', safe='')}")
    drawer = page.get_by_role("dialog", name="Details")
    expect(drawer.get_by_role("heading", level=2)).to_contain_text(job.rpartition("/")[2][:100])
    visit.watched.picture(f"bad-job-{name}")
    for tab in ("Runs", "Latest run", "Code", "Facets", "Events"):
        drawer.get_by_role("tab", name=tab).click()
        expect(drawer.get_by_role("tabpanel")).not_to_be_empty()
        visit.watched.still()
    assert page.evaluate("window.hacked") is None
    assert not visit.is_too_wide()


def test_a_huge_facet_opens_step_by_step(open_page: OpenPage, bad: Server) -> None:
    name = Shop().bad_names()[0]["outputs"][0]["name"]
    visit = Visit(open_page, bad)
    page = visit.go(f"/?details={quote(f'dataset:s3://warehouse:{name}', safe='')}&tab=facets")
    tree = page.get_by_role("region", name="facets")
    tree.get_by_role("button", name=re.compile("huge: ")).click()
    expect(tree.get_by_role("button", name="rows: [ 20000 ]")).to_be_visible()
    tree.get_by_role("button", name="rows: [ 20000 ]").click()
    expect(tree.get_by_role("button", name="… 19900 more")).to_be_visible()
    assert page.locator("*").count() < 3000
    page.get_by_role("dialog", name="Details").get_by_role("tab", name="Schema").click()
    expect(page.get_by_role("row")).to_have_count(4)
    assert page.evaluate("window.hacked") is None
    visit.watched.picture("bad-schema")


def test_an_address_that_is_no_view_says_so(visit: Visit) -> None:
    page = visit.go("/")
    page.evaluate("history.pushState(null, '', '/nowhere')")
    expect(page.get_by_text("Page not found")).to_be_visible()
