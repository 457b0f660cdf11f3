"""Impact, root cause and compare."""

import csv
import re
from urllib.parse import quote

from playwright.sync_api import expect

from tests.browser.views.visit import Visit

PRICES = quote("dataset:s3://warehouse:shop/prices", safe="")
DASHBOARD = quote("dataset:s3://warehouse:shop/dashboard", safe="")


def test_impact_is_grouped_by_distance(visit: Visit) -> None:
    page = visit.go(f"/impact?node={PRICES}")
    expect(page.get_by_text("It feeds 2 jobs, 2 datasets and 1 column.")).to_be_visible()
    near = page.get_by_role("region", name=re.compile("^1 job away")).first
    expect(near.get_by_role("row", name=re.compile("hourly_totals"))).to_contain_text("Direct")
    far = page.get_by_role("region", name=re.compile("^2 jobs away")).first
    expect(far.get_by_role("row", name=re.compile("dashboard_refresh"))).to_contain_text("Unknown")
    visit.watched.picture("impact-light")
    page.get_by_text("Direct", exact=True).first.click()
    expect(far).to_be_hidden()


def test_impact_of_one_column(visit: Visit) -> None:
    page = visit.go(f"/impact?node={PRICES}")
    box = page.get_by_role("combobox", name="Only this column").or_(
        page.get_by_role("textbox", name="Only this column")
    )
    box.click()
    page.get_by_role("option", name="price", exact=True).click()
    expect(page).to_have_url(re.compile("datasetField"))
    expect(page.get_by_role("row", name=re.compile("column total"))).to_be_visible()
    expect(page.get_by_role("link", name="Show in the graph")).to_have_attribute(
        "href", re.compile("column=datasetField")
    )


def test_impact_as_csv(visit: Visit) -> None:
    page = visit.go(f"/impact?node={PRICES}")
    with page.expect_download() as begun:
        page.get_by_role("button", name="CSV").click()
    rows = list(csv.DictReader(begun.value.path().read_text().splitlines()))
    assert {row["name"] for row in rows} == {"hourly_totals", "shop/totals", "dashboard_refresh", "shop/dashboard"}
    assert {row["use"] for row in rows if row["distance"] == "1"} == {"DIRECT"}


def test_impact_leads_to_the_graph(visit: Visit) -> None:
    page = visit.go(f"/impact?node={PRICES}")
    page.get_by_role("link", name="Show in the graph").click()
    expect(page).to_have_url(re.compile(r"/graph\?node=.*down=20"))


def test_a_question_without_a_subject_asks_for_one(visit: Visit) -> None:
    page = visit.go("/impact")
    page.get_by_label("Impact of").fill("raw_pri")
    page.get_by_role("option", name=re.compile("raw_prices")).click()
    expect(page.get_by_role("region", name=re.compile("^1 job away")).first).to_contain_text("clean_prices")


def test_root_cause_names_suspects_with_evidence(visit: Visit) -> None:
    page = visit.go(f"/why?node={DASHBOARD}")
    suspects = page.get_by_role("list", name="Suspects").get_by_role("listitem")
    failed = suspects.filter(has_text="Run failed").first
    expect(failed).to_contain_text("clean_prices")
    expect(failed).to_contain_text("Explains problems in")
    visit.watched.picture("why-light")
    failed.get_by_role("button", name="Error").click()
    expect(failed.get_by_role("region", name="the error")).to_contain_text("Prices.java")
    expect(suspects.filter(has_text="Schema changed").first).to_contain_text(
        "price DECIMAL(10,2) → STRING (type changed)"
    )
    failed.get_by_role("button", name=re.compile("^…")).click()
    expect(page.get_by_role("dialog", name="Details").get_by_role("alert")).to_contain_text("NumberFormatException")


def test_root_cause_at_a_moment_when_all_was_well(visit: Visit) -> None:
    page = visit.go(f"/why?node={DASHBOARD}&at=2020-01-01T00:00:00Z")
    expect(page.get_by_text("Nothing upstream looks suspicious")).to_be_visible()


def test_compare_two_moments(visit: Visit) -> None:
    page = visit.go("/compare?from=2026-01-01T00:00:00Z&to=2026-11-15T06:48:31Z")
    expect(page.get_by_role("heading", name="Jobs and datasets")).to_be_visible()
    expect(page.get_by_text(re.compile(r"Added: \d+")).first).to_be_visible()
    page.get_by_label("To (empty: now)").fill("2026-01-02T00:00:00")
    expect(page.get_by_text("No difference")).to_be_visible()


def test_a_name_that_is_not_there_offers_those_that_are(visit: Visit) -> None:
    page = visit.go(f"/impact?node={PRICES}s")
    visit.watched.allowed.append("404")
    offered = page.get_by_role("alert").get_by_role("link", name="shop/prices")
    offered.click()
    expect(page).to_have_url(re.compile(r"/search\?q=shop%2Fprices"))
