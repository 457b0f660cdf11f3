"""The events: live, filtered, and what each changed."""

import re
from datetime import timedelta

from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.views.shop import ORDERS, TOTALS, Shop, dataset
from tests.browser.views.visit import Visit, send
from tests.support.server import Server


def test_events_come_in_by_themselves_with_what_they_changed(open_page: OpenPage, server: Server) -> None:
    visit = Visit(open_page, server)
    page = visit.go("/events")
    expect(page.get_by_text("No events yet")).to_be_visible()
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    both = {"inputs": [dataset(ORDERS)], "outputs": [dataset(TOTALS)]}
    send(server, [Shop().event("START", "copy", timedelta(), 1, **both)])
    row = page.get_by_role("list", name="Events").get_by_role("button", name=re.compile("copy"))
    expect(row).to_contain_text("new run, 3 new nodes, 2 new edges")
    row.click()
    panel = page.get_by_role("region", name="Event details", exact=True)
    expect(panel).to_contain_text("New run: Running")
    expect(panel).to_contain_text("edge job:shop:copy → dataset:s3://warehouse:shop/totals")
    expect(panel.get_by_role("region", name="the event", exact=True)).to_contain_text('eventType: "START"')
    visit.watched.picture("events-light")
    send(server, [Shop().event("COMPLETE", "copy", -timedelta(seconds=1), 1)])
    rows = page.get_by_role("list", name="Events").get_by_role("listitem")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("Completed")


def test_pausing_holds_the_list_and_counts(open_page: OpenPage, server: Server) -> None:
    page = Visit(open_page, server).go("/events")
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    send(server, [Shop().event("START", f"job-{n}", timedelta(), n) for n in range(3)])
    expect(page.get_by_text("3 new events since you paused.")).to_be_visible()
    expect(page.get_by_role("list", name="Events").get_by_role("listitem")).to_have_count(0)
    page.get_by_role("button", name="Resume").first.click()
    expect(page.get_by_role("list", name="Events").get_by_role("listitem")).to_have_count(3)


def test_filters_by_type_and_by_any_name(visit: Visit) -> None:
    page = visit.go("/events")
    rows = page.get_by_role("list", name="Events").get_by_role("listitem")
    expect(rows).to_have_count(50)
    page.get_by_role("textbox", name="Job, dataset, run or producer").fill("hourly_totals")
    expect(rows.first).to_contain_text("hourly_totals")
    page.get_by_role("combobox", name="Filter by type").click()
    page.get_by_role("option", name="COMPLETE").click()
    expect(rows.first).to_contain_text("orders-enriched, prices → totals")
    expect(page).to_have_url(re.compile("type=COMPLETE"))


def test_what_an_event_of_the_past_changed(visit: Visit) -> None:
    page = visit.go("/events?type=START&filter=orders-source")
    page.get_by_role("button", name=re.compile("Load older events")).click()
    page.get_by_role("list", name="Events").get_by_role("button", name=re.compile("orders-source")).click()
    panel = page.get_by_role("region", name="Event details", exact=True)
    expect(panel).to_contain_text("Added")
    expect(panel).to_contain_text("job:shop:orders-source → dataset:kafka://broker:9092:orders")


def test_an_event_leads_to_its_run(visit: Visit) -> None:
    page = visit.go("/events?type=FAIL&filter=clean_prices")
    page.get_by_role("list", name="Events").get_by_role("button").click()
    page.get_by_role("region", name="Event details", exact=True).get_by_role("button", name="job clean_prices").click()
    expect(page.get_by_role("dialog", name="Details").get_by_role("alert")).to_contain_text("NumberFormatException")
