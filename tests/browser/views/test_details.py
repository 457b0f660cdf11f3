"""The drawer: everything about one job, dataset or column."""

import re
from urllib.parse import quote

from playwright.sync_api import Locator, Page, expect

from tests.browser.views.visit import Visit

JOB = "job:shop:clean_prices"
PRICES = "dataset:s3://warehouse:shop/prices"
TOTALS = "dataset:s3://warehouse:shop/totals"


def details(visit: Visit, node: str, tab_name: str | None = None) -> tuple[Page, Locator]:
    page = visit.go(f"/?details={quote(node, safe='')}")
    drawer = page.get_by_role("dialog", name="Details")
    if tab_name is not None:
        drawer.get_by_role("tab", name=tab_name, exact=True).click()
    return page, drawer


def test_a_click_opens_it_and_escape_closes_it(visit: Visit) -> None:
    page = visit.go("/")
    page.get_by_role("region", name="Recent failures").get_by_role("button", name="clean_prices").click()
    drawer = page.get_by_role("dialog", name="Details")
    expect(drawer.get_by_role("heading", name="clean_prices")).to_be_visible()
    expect(drawer).to_contain_text("Brings the suppliers' price lists into one form.")
    expect(drawer).to_contain_text("team:prices (maintainer), ann (owner)")
    visit.watched.picture("details-job-light")
    expect(drawer).to_be_focused()
    page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()
    expect(page.get_by_role("button", name="job clean_prices")).to_be_focused()
    expect(page).not_to_have_url(re.compile("details="))


def test_going_back_closes_it_and_a_link_opens_the_same_tab(visit: Visit) -> None:
    page = visit.go("/")
    page.get_by_role("region", name="Late").get_by_role("button", name="hourly_totals").click()
    drawer = page.get_by_role("dialog", name="Details")
    drawer.get_by_role("tab", name="Code").click()
    expect(drawer.get_by_role("region", name="SQL")).to_contain_text("INSERT OVERWRITE totals")
    shared = page.url
    page.go_back()
    expect(drawer).to_be_hidden()
    page.goto(shared)
    expect(drawer.get_by_role("region", name="SQL")).to_be_visible()


def test_code_is_in_colours_and_links_to_its_place(visit: Visit) -> None:
    _, drawer = details(visit, JOB, "Code")
    expect(drawer.locator(".hljs-keyword").first).to_have_text("from")
    expect(drawer.get_by_role("link", name="Source code")).to_have_attribute(
        "href", "https://git.example.org/shop/clean_prices.py"
    )
    visit.watched.picture("details-code-light")


def test_runs_are_charts_and_a_list_with_a_filter(visit: Visit) -> None:
    _, drawer = details(visit, JOB, "Runs")
    runs = drawer.get_by_role("list", name="Runs").get_by_role("listitem")
    expect(runs).to_have_count(12)
    expect(drawer.get_by_role("img", name=re.compile("Duration of the last 12 runs"))).to_be_visible()
    drawer.get_by_text("Timeline", exact=True).click()
    expect(drawer.get_by_role("img", name=re.compile("12 runs between"))).to_be_visible()
    drawer.get_by_role("combobox", name="Filter by state").click()
    visit.page.get_by_role("option", name="Failed").click()
    expect(runs).to_have_count(1)
    visit.watched.picture("details-runs-light")


def test_a_run_shows_its_events_and_why_it_failed(visit: Visit) -> None:
    page, drawer = details(visit, JOB, "Runs")
    drawer.get_by_role("list", name="Runs").get_by_role("button").first.click()
    expect(drawer.get_by_role("alert")).to_contain_text("'12,50' is no DECIMAL(10,2)")
    drawer.get_by_role("button", name="Stack trace").click()
    expect(drawer.get_by_role("region", name="the stack trace")).to_contain_text("Prices.java:59")
    expect(drawer).to_contain_text("example.org/shop/1.0")
    drawer.get_by_role("button", name=re.compile(r"^Event \d+")).last.click()
    expect(drawer.get_by_role("region", name="the event")).to_contain_text('eventType: "FAIL"')
    expect(drawer.get_by_role("link", name="Spark UI")).to_have_attribute("href", "http://driver.example.org:4040")
    expect(page).to_have_url(re.compile("tab=run&?"))
    visit.watched.picture("details-run-light")


def test_what_a_run_read_and_wrote_leads_on(visit: Visit) -> None:
    page, drawer = details(visit, "job:shop:hourly_totals", "Latest run")
    expect(drawer).to_contain_text("164 rows, 20kB, 2 files")
    drawer.get_by_role("button", name=re.compile("totals.*warehouse")).click()
    expect(drawer.get_by_role("heading", name="totals", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile(re.escape(quote(TOTALS, safe=""))))


def test_a_dataset_shows_how_fresh_and_how_large_it_is(visit: Visit) -> None:
    _, drawer = details(visit, PRICES)
    expect(drawer).to_contain_text("Usually every")
    expect(drawer.get_by_text("Late", exact=True)).to_be_visible()
    expect(drawer.get_by_role("img", name=re.compile("^Rows per write: .*974"))).to_be_visible()
    visit.watched.picture("details-dataset-light")


def test_a_schema_has_a_history_with_differences(visit: Visit) -> None:
    _, drawer = details(visit, PRICES, "Schema")
    expect(drawer.get_by_role("row", name="price")).to_contain_text("STRING")
    expect(drawer).to_contain_text("day DATE (added)")
    expect(drawer).to_contain_text("price DECIMAL(10,2) → STRING (type changed)")
    expect(drawer).to_contain_text("First schema, with 2 columns")
    visit.watched.picture("details-schema-light")


def test_columns_lead_from_one_to_the_next(visit: Visit) -> None:
    _, drawer = details(visit, TOTALS, "Columns")
    expect(drawer).to_contain_text("aggregation")
    expect(drawer).to_contain_text("join · masked")
    drawer.get_by_role("button", name=re.compile("price.*prices")).click()
    expect(drawer.get_by_role("heading", name="price", exact=True)).to_be_visible()
    expect(drawer.get_by_role("heading", name="Downstream")).to_be_visible()
    expect(drawer.get_by_role("button", name=re.compile("total.*totals"))).to_be_visible()
    visit.watched.picture("details-column-light")


def test_facets_open_level_by_level(visit: Visit) -> None:
    _, drawer = details(visit, JOB, "Facets")
    drawer.get_by_role("button", name=re.compile("ownership")).click()
    drawer.get_by_role("button", name=re.compile("owners: ")).click()
    drawer.get_by_role("button", name=re.compile("0: {")).click()
    expect(drawer.get_by_role("region", name="facets")).to_contain_text('name: "team:prices"')


def test_raw_events_of_a_job_are_listed(visit: Visit) -> None:
    _, drawer = details(visit, "job:shop:enrich", "Events")
    drawer.get_by_role("button", name="Show").first.click()
    expect(drawer.get_by_role("region", name="the event")).to_contain_text('eventType: "RUNNING"')


def test_descriptions_can_be_edited(visit: Visit) -> None:
    page, drawer = details(visit, "job:shop:dashboard_refresh")
    drawer.get_by_role("button", name="Edit description").click()
    drawer.get_by_role("textbox", name="Description").fill("Brings the board up to date.\nAsk Bob.")
    drawer.get_by_role("button", name="Save").click()
    expect(drawer).to_contain_text("Ask Bob.")
    page.reload()
    expect(drawer).to_contain_text("Ask Bob.")
    # Nothing else of the job was touched.
    assert visit.server.json("/api/v1/namespaces/shop/jobs/dashboard_refresh")["outputs"] != []


def test_tags_can_be_added_and_taken_off(visit: Visit) -> None:
    page, drawer = details(visit, TOTALS)
    box = drawer.get_by_role("textbox", name="Tags").or_(drawer.get_by_role("combobox", name="Tags"))
    box.fill("gold")
    page.keyboard.press("Enter")
    expect(drawer.get_by_text("gold", exact=True)).to_be_visible()
    page.reload()
    expect(drawer.get_by_text("gold", exact=True)).to_be_visible()
    box.press("Backspace")
    expect(drawer.get_by_text("gold", exact=True)).to_be_hidden()
    assert visit.server.json("/api/v1/namespaces/s3%3A%2F%2Fwarehouse/datasets/shop%2Ftotals")["tags"] == []
