"""What happens while one looks, and what was."""

from urllib.parse import quote
from uuid import uuid4

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import OpenPage
from tests.browser.support import KAFKA_ORDERS, LOOKS, recorded, streaming_event
from tests.support.server import Server

LIVE_JOB = "job:live:live-stats"


@pytest.fixture
def filled(server: Server) -> Server:
    assert server.post_batch(b"[" + b",".join(recorded()) + b"]").status_code == 204
    return server


def test_a_new_job_appears_by_itself_and_moves_nothing(filled: Server, open_page: OpenPage) -> None:
    seen = open_page(filled, f"/graph?node={quote(KAFKA_ORDERS)}")
    seen.assert_cards(10)
    expect(seen.page.get_by_role("button", name="Live: pause")).to_be_visible()
    before = {card: seen.place(card) for card in (KAFKA_ORDERS, "job:trial-flink:supplier-stats-ds")}
    assert filled.post(streaming_event("START")).status_code == 201
    seen.assert_cards(12)
    assert {card: seen.place(card) for card in before} == before
    expect(seen.card(LIVE_JOB)).to_have_attribute("data-state", "RUNNING")


def test_what_happens_before_the_stream_begins_is_not_missed(filled: Server, open_page: OpenPage) -> None:
    seen = open_page(filled, "/search")
    held_routes: list[Route] = []
    seen.page.route("**/api/v1/live*", lambda route: held_routes.append(route))
    seen.page.goto(f"/graph?node={quote(KAFKA_ORDERS)}")
    seen.assert_cards(10)
    assert filled.post(streaming_event("START")).status_code == 201
    (stream,) = held_routes
    stream.continue_()
    seen.assert_cards(12)


@pytest.mark.parametrize(("kind", "state"), [("FAIL", "FAILED"), ("ABORT", "ABORTED")])
def test_a_run_that_ends_badly_is_announced(filled: Server, open_page: OpenPage, kind: str, state: str) -> None:
    run = str(uuid4())
    filled.post(streaming_event("START", run=run))
    seen = open_page(filled, f"/graph?node={quote(KAFKA_ORDERS)}")
    expect(seen.card(LIVE_JOB)).to_have_attribute("data-state", "RUNNING")
    expect(seen.page.get_by_role("button", name="Live: pause")).to_be_visible()
    filled.post(streaming_event(kind, run=run, at="2026-11-15T10:05:00Z"))
    expect(seen.card(LIVE_JOB)).to_have_attribute("data-state", state)
    expect(seen.card(LIVE_JOB)).to_have_attribute("data-alarm", "true")
    seen.page.get_by_text("live-stats: click to see it").click()
    expect(seen.page.get_by_role("region", name="Selected: live-stats")).to_be_visible()


def test_rates_and_lag_of_streams(filled: Server, open_page: OpenPage) -> None:
    run = str(uuid4())
    filled.post(streaming_event("START", run=run))
    seen = open_page(filled, f"/graph?node={quote(KAFKA_ORDERS)}&labels=1", LOOKS["dark"])
    expect(seen.page.get_by_role("button", name="Live: pause")).to_be_visible()
    filled.post(streaming_event("RUNNING", run=run, at="2026-11-15T10:01:00Z", rate=1234.0))
    expect(seen.card(LIVE_JOB)).to_contain_text("1.2k/s · lag 42")
    seen.picture("graph-live-dark")


def test_pause_and_resume(filled: Server, open_page: OpenPage) -> None:
    seen = open_page(filled, f"/graph?node={quote(KAFKA_ORDERS)}")
    seen.assert_cards(10)
    seen.page.get_by_role("button", name="Live: pause").click()
    filled.post(streaming_event("START"))
    # Whoever did not pause sees it.
    open_page(filled, f"/graph?node={quote(KAFKA_ORDERS)}").assert_cards(12)
    seen.assert_cards(10)
    seen.page.get_by_role("button", name="Paused: resume").click()
    seen.assert_cards(12)


def test_it_comes_back_after_the_server_was_away(filled: Server, open_page: OpenPage) -> None:
    seen = open_page(filled, f"/graph?node={quote(KAFKA_ORDERS)}")
    seen.allowed = ["ERR_", "Failed to load"]
    seen.assert_cards(10)
    port = filled.port
    filled.stop()
    expect(seen.page.get_by_role("button", name="Disconnected: pause")).to_be_visible()
    filled.start(port)
    expect(seen.page.get_by_role("button", name="Live: pause")).to_be_visible(timeout=20_000)
    filled.post(streaming_event("START"))
    seen.assert_cards(12)


def test_the_graph_as_it_was(demo: Server, open_page: OpenPage) -> None:
    seen = open_page(demo, f"/graph?node={quote(KAFKA_ORDERS)}")
    seen.assert_cards(10)
    seen.page.get_by_role("button", name="Time", exact=True).click()
    expect(seen.page.get_by_role("img", name="failures")).to_be_visible()
    for _ in range(3):
        seen.page.get_by_role("button", name="Previous change").click()
    expect(seen.page.get_by_role("status")).to_contain_text("As of ")
    expect(seen.page.get_by_text("Past, not live")).to_be_visible()
    seen.page.get_by_role("button", name="Back to now").click()
    expect(seen.page.get_by_role("button", name="Live: pause")).to_be_visible()


@pytest.mark.parametrize("node", [KAFKA_ORDERS, None])
def test_a_moment_has_less_than_now(demo: Server, open_page: OpenPage, node: str | None) -> None:
    at = "at=2026-11-15T06:40:00Z"
    seen = open_page(demo, f"/graph?{at}" if node is None else f"/graph?node={quote(node)}&{at}")
    seen.assert_cards(5 if node else 9)


def test_two_moments_compared(demo: Server, open_page: OpenPage) -> None:
    path = f"/graph?node={quote(KAFKA_ORDERS)}&time=1&against=2026-11-15T06:40:00.000Z&at=2026-11-15T06:50:00.000Z"
    seen = open_page(demo, path, LOOKS["dark"])
    expect(seen.card("job:trial-flink-local:orders-to-iceberg")).to_have_attribute("data-mark", "added")
    expect(seen.card("job:trial-flink:orders-to-iceberg")).not_to_have_attribute("data-mark", "added")
    seen.assert_accessible()
    seen.picture("graph-compare-dark")
    seen.page.get_by_role("button", name="Compare", exact=True).click()
    expect(seen.page.locator("[data-mark]")).to_have_count(0)
