"""Search: as one types, by keyboard, with filters."""

import re

from playwright.sync_api import expect

from tests.browser.views.visit import Visit


def test_the_header_finds_as_one_types_by_keyboard_alone(visit: Visit) -> None:
    page = visit.go("/")
    expect(page.get_by_role("heading", name="Running now")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("clean_pr")
    options = page.get_by_role("listbox", name="Results").get_by_role("option")
    expect(options.first).to_contain_text("clean_prices")
    expect(options.last).to_contain_text("result")
    visit.watched.picture("search-box-light")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/graph\?node=job%3Ashop%3Aclean_prices"))


def test_enter_leads_to_all_results(visit: Visit) -> None:
    page = visit.go("/")
    page.get_by_role("combobox", name="Search jobs, datasets and columns").or_(
        page.get_by_role("textbox", name="Search jobs, datasets and columns")
    ).fill("price")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/search\?q=price"))
    results = page.get_by_role("list", name="Results").get_by_role("listitem")
    expect(results.first).to_contain_text("prices")
    expect(results.first.locator("mark").first).to_have_text("price")
    visit.watched.picture("search-light")


def test_enter_leads_to_all_results_even_before_suggestions_can_come(visit: Visit) -> None:
    page = visit.go("/")
    page.route("**/SuggestBox*.js", lambda _: None)  # on its way for ever
    page.get_by_role("textbox", name="Search jobs, datasets and columns").fill("price")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/search\?q=price"))


def test_filters_are_in_the_address(visit: Visit) -> None:
    page = visit.go("/search?q=price")
    page.get_by_text("Jobs", exact=True).click()
    results = page.get_by_role("list", name="Results")
    expect(results).not_to_contain_text("raw_prices")
    expect(results).to_contain_text("clean_prices")
    expect(page).to_have_url(re.compile("kind=JOB"))
    page.get_by_role("combobox", name="Namespace").or_(page.get_by_role("textbox", name="Namespace")).click()
    page.get_by_role("option", name="shop", exact=True).click()
    expect(page).to_have_url(re.compile("namespace=shop"))
    page.reload()
    expect(results.get_by_role("listitem")).to_have_count(2)  # clean_prices, and hourly_totals by its SQL


def test_as_one_types_in_the_view(visit: Visit) -> None:
    page = visit.go("/search")
    expect(page.get_by_text("What are you looking for?")).to_be_visible()
    box = page.get_by_role("textbox", name="Search for")
    box.press_sequentially("dashb")
    expect(page.get_by_role("list", name="Results")).to_contain_text("dashboard_refresh")
    box.fill("zzqqxx")
    expect(page.get_by_text("No results")).to_be_visible()


def test_a_hit_opens_its_details(visit: Visit) -> None:
    page = visit.go("/search?q=totals")
    page.get_by_role("list", name="Results").get_by_role("button", name=re.compile("^dataset totals")).click()
    expect(page.get_by_role("dialog", name="Details").get_by_role("heading", name="totals", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile("q=totals"))
