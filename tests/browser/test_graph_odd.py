"""Empty, large, odd and broken: the graph says what to do."""

from urllib.parse import quote

import pytest
from playwright.sync_api import Route, expect

from bench.events import Events, Load
from tests.browser.conftest import OpenPage
from tests.browser.support import KAFKA_ORDERS, streaming_event
from tests.support.server import Server


def test_an_empty_server_shows_how_to_begin(server: Server, open_page: OpenPage) -> None:
    seen = open_page(server, "/graph")
    expect(seen.page.get_by_role("heading", name="Send the first event")).to_be_visible()
    seen.page.get_by_role("tab", name="Airflow, dbt, Flink").click()
    expect(seen.page.get_by_text(f"OPENLINEAGE_URL={server.url}")).to_be_visible()
    seen.assert_accessible()
    expect(seen.page.get_by_role("button", name="Live: pause")).to_be_visible()
    server.post(streaming_event("START"))
    seen.assert_cards(3)


def test_a_node_that_is_not_there(demo: Server, open_page: OpenPage) -> None:
    seen = open_page(demo, "/graph?node=job:none:such")
    seen.allowed = ["404"]
    expect(seen.page.get_by_role("alert")).to_contain_text("No such job or dataset")
    seen.page.get_by_role("button", name="Show everything").last.click()
    seen.assert_cards(29)


def test_two_nodes_without_a_path_between_them(demo: Server, open_page: OpenPage) -> None:
    seen = open_page(demo, f"/graph?from={quote(KAFKA_ORDERS)}&to=job:trial-flink:failing-job")
    expect(seen.page.get_by_role("heading", name="No path between these two")).to_be_visible()


@pytest.mark.parametrize("status", [500, None])
def test_a_server_that_fails(demo: Server, open_page: OpenPage, status: int | None) -> None:
    seen = open_page(demo, "/")
    seen.allowed = ["Failed to load", "ERR_"]

    def fail(route: Route) -> None:
        if status is None:
            route.abort()
        else:
            route.fulfill(status=status, body='{"code": 500, "message": "the server failed to answer"}')

    seen.page.route("**/api/v1/lineage*", fail)
    seen.page.goto(f"/graph?node={quote(KAFKA_ORDERS)}")
    expect(seen.page.get_by_role("alert")).to_contain_text("The graph could not be loaded", timeout=20_000)
    seen.page.unroute("**/api/v1/lineage*")
    seen.page.get_by_role("button", name="Try again").click()
    seen.assert_cards(10)


ODD_NAMES = ["<script>alert(1)</script>", "שלום עולם", "x" * 10_000, 'a "quoted" & name', "two\nlines", "%2F", "::"]


def test_odd_names_do_no_harm(server: Server, open_page: OpenPage) -> None:
    for number, name in enumerate(ODD_NAMES):
        job = streaming_event("COMPLETE", job=name, inputs=[f"in-{number}", name], outputs=[f"{name} out"])
        assert server.post(job).status_code == 201
    seen = open_page(server, "/graph?view=20,80,0.7")
    seen.assert_cards(4 * len(ODD_NAMES))
    expect(seen.page.locator("article").first).to_be_visible()
    wide = seen.page.evaluate("document.documentElement.scrollWidth")
    assert wide == 1280
    assert not seen.page.evaluate("[...document.scripts].some(s => s.textContent.includes('alert'))")


def test_a_wide_fan_shows_some_and_says_how_many(server: Server, open_page: OpenPage) -> None:
    events = [streaming_event("COMPLETE", job=f"reader-{n:02}", outputs=[f"out-{n:02}"]) for n in range(40)]
    assert server.post_batch(events).status_code == 204
    seen = open_page(server, f"/graph?node={quote(KAFKA_ORDERS)}&down=1")
    seen.assert_cards(1 + 2 * 24)
    seen.card(KAFKA_ORDERS).get_by_role("button").first.click()
    panel = seen.page.get_by_role("region", name="Selected: orders")
    expect(panel).to_contain_text("24 of 40 shown")
    panel.get_by_role("textbox", name="Filter downstream").fill("reader-39")
    panel.get_by_role("button", name="reader-39").click()
    seen.assert_cards(1 + 2 * 25)
    expect(seen.card("job:live:reader-39")).to_be_in_viewport()
    seen.page.go_back()
    seen.page.keyboard.press("f")
    seen.assert_cards(1 + 2 * 24)
    seen.page.goto(f"/graph?node={quote(KAFKA_ORDERS)}&down=1")
    seen.card(KAFKA_ORDERS).get_by_role("button", name="24 of 40 shown downstream: show more").click()
    seen.assert_cards(1 + 2 * 40)


def test_more_jobs_than_one_picture_can_hold(server: Server, open_page: OpenPage) -> None:
    events = Events(Load("chain", 1001, plain=True))
    for start in range(0, 1001, 143):
        batch = (one for n in range(start, start + 143) for one in events.run(n, with_start=False))
        body = b"[" + b",".join(batch) + b"]"
        assert server.post_batch(body).status_code == 204
    seen = open_page(server, "/graph")
    expect(seen.page.get_by_role("heading", name="Too large to draw")).to_be_visible()
    expect(seen.page.get_by_text("1,001 jobs")).to_be_visible()
    # Around one of them it is a picture again, of hundreds of nodes.
    seen.page.goto("/graph?node=dataset:bench_db:ds_500&up=20&down=20")
    expect(seen.page.get_by_test_id("stage")).not_to_have_attribute("data-cards", "0")
    assert int(seen.page.get_by_test_id("stage").get_attribute("data-cards") or 0) > 120


def test_a_past_that_is_too_large_for_one_answer_says_so(server: Server, open_page: OpenPage) -> None:
    events = Events(Load("chain", 400, plain=True))
    body = b"[" + b",".join(one for n in range(400) for one in events.run(n, with_start=False)) + b"]"
    assert server.post_batch(body).status_code == 204
    seen = open_page(server, "/graph?at=2100-01-01T00:00:00Z")
    expect(seen.page.get_by_role("status")).to_contain_text("the first 1,000 nodes and edges of that moment")
    seen.page.get_by_role("button", name="Back to now").first.click()
    seen.assert_cards(400 + 1 + 3 * 400)
    expect(seen.page.get_by_role("status")).to_have_count(0)
