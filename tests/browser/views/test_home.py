"""The first page: what runs, what failed, what is late, streams, engines; and a server without events."""

import subprocess
from datetime import timedelta

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.views.shop import ORDERS, Shop, dataset
from tests.browser.views.visit import Visit, send
from tests.support.server import Server


def test_what_runs_failed_and_is_late_is_seen_at_once(visit: Visit) -> None:
    page = visit.go("/")
    running = page.get_by_role("region", name="Running now")
    expect(running.get_by_role("button", name="enrich")).to_be_visible()
    expect(running).to_contain_text("no event for")  # orders-source, for half an hour
    failed = page.get_by_role("region", name="Recent failures")
    expect(failed.get_by_role("button", name="clean_prices")).to_be_visible()
    late = page.get_by_role("region", name="Late")
    expect(late).to_contain_text("hourly_totals")
    expect(late).to_contain_text("usually every 1 h")
    visit.watched.picture("home-light")


def test_streams_show_rates_watermark_and_restarts(visit: Visit) -> None:
    page = visit.go("/")
    row = page.get_by_role("region", name="Streams").get_by_role("row", name="enrich")
    expect(row).to_contain_text("1.2k")
    expect(row).to_contain_text("870")
    expect(row).to_contain_text("311, 2 failed")
    expect(row.get_by_role("cell").last).to_have_text("2")  # a new run, and one from a checkpoint


def test_engines_have_a_place_of_their_own(visit: Visit) -> None:
    page = visit.go("/")
    page.get_by_text("Engines", exact=True).click()
    expect(page.get_by_role("region", name="Flink")).to_contain_text("enrich")
    expect(page.get_by_role("region", name="Kafka Connect")).to_contain_text("orders-source")
    expect(page).to_have_url(f"{visit.server.url}/?view=engines")
    visit.watched.picture("engines-light")


def test_the_root_cause_is_one_click_away_from_a_failure(visit: Visit) -> None:
    page = visit.go("/")
    page.get_by_role("link", name="Root cause: clean_prices").click()
    expect(page.get_by_role("heading", name="Root cause")).to_be_visible()
    expect(page.get_by_role("list", name="Suspects").get_by_role("listitem").first).to_contain_text("NumberFormat")


def test_an_own_server_teaches_and_goes_on_by_itself(open_page: OpenPage, server: Server) -> None:
    visit = Visit(open_page, server)
    page = visit.go("/")
    expect(page.get_by_role("heading", name="Send the first event")).to_be_visible()
    visit.watched.picture("empty-light")
    command = page.get_by_label("the command for curl", exact=True).inner_text()
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=30, check=True)
    assert "201" in done.stdout
    expect(page.get_by_role("heading", name="Running now")).to_be_visible()


@pytest.mark.parametrize("name", ["Python", "Spark", "Airflow, dbt, Flink", "Just look around"])
def test_other_ways_to_begin_name_this_server(open_page: OpenPage, server: Server, name: str) -> None:
    visit = Visit(open_page, server)
    page = visit.go("/")
    page.get_by_role("tab", name=name).click()
    expect(page.get_by_role("tabpanel")).to_contain_text(server.url)


def test_what_happens_is_seen_without_loading_anew(open_page: OpenPage, server: Server) -> None:
    shop = Shop()
    send(server, [shop.event("START", "import", timedelta(seconds=9), 1, inputs=[dataset(ORDERS)])])
    visit = Visit(open_page, server)
    page = visit.go("/")
    expect(page.get_by_role("region", name="Running now")).to_contain_text("import")
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    send(server, [shop.event("FAIL", "import", timedelta(seconds=1), 1)])
    expect(page.get_by_role("region", name="Recent failures")).to_contain_text("import")
    expect(page.get_by_role("region", name="Running now")).to_contain_text("Nothing is running")
