"""The graph as a person uses it, on the demo's events."""

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import OpenPage
from tests.browser.support import KAFKA_ORDERS, LAKE_ORDERS, LOOKS, PHONE, SUPPLIER_STATS, json_of
from tests.support.server import Server, wait_for

FAILING = "job:trial-flink:failing-job"
OVERWRITE = "job:demo-ns-rest:supplier_stats_batch.overwrite_by_expression.demo_default_supplier_stats"


HEADER = 52  # pixels above the graph


def around(node_id: str, **rest: str) -> str:
    return f"/graph?node={quote(node_id)}" + "".join(f"&{key}={quote(value)}" for key, value in rest.items())


@pytest.mark.parametrize("look", ["light", "dark"])
def test_everything_at_a_glance(demo: Server, open_page: OpenPage, look: str) -> None:
    seen = open_page(demo, "/graph", LOOKS[look])
    seen.assert_cards(29)
    seen.assert_accessible()
    seen.picture(f"graph-everything-{look}")


@pytest.mark.parametrize("look", ["light", "dark"])
def test_around_one_dataset(demo: Server, open_page: OpenPage, look: str) -> None:
    seen = open_page(demo, around(KAFKA_ORDERS), LOOKS[look])
    seen.assert_cards(10)
    expect(seen.card("job:trial-flink:supplier-stats-ds")).to_contain_text("Aborted")
    seen.assert_accessible()
    seen.picture(f"graph-orders-{look}")


def test_depth_up_and_down_is_chosen_apart(demo: Server, open_page: OpenPage) -> None:
    seen = open_page(demo, around(KAFKA_ORDERS))
    seen.assert_cards(10)
    seen.page.get_by_role("button", name="Fewer downstream").click()
    seen.page.get_by_role("button", name="Fewer downstream").click()
    seen.assert_cards(1)
    expect(seen.page).to_have_url(re.compile("down=0"))
    seen.page.get_by_role("button", name="More downstream").click()
    seen.assert_cards(10)


def test_step_by_step_without_moving_what_one_looks_at(demo: Server, open_page: OpenPage) -> None:
    seen = open_page(demo, around(SUPPLIER_STATS, up="0", view="950,350,0.7"))
    seen.assert_cards(1)
    before = seen.place(SUPPLIER_STATS)
    more = seen.card(SUPPLIER_STATS).get_by_role("button", name="0 of 2 shown upstream: show more")
    more.click()
    seen.assert_cards(4)
    assert seen.place(SUPPLIER_STATS) == before
    placed = seen.place(LAKE_ORDERS)
    seen.card(LAKE_ORDERS).get_by_role("button", name="upstream: show more").click()
    seen.assert_cards(6)
    assert (seen.place(SUPPLIER_STATS), seen.place(LAKE_ORDERS)) == (before, placed)
    # And back again.
    seen.page.get_by_role("button", name="Collapse upstream").click()
    seen.assert_cards(4)


def test_a_column_lights_its_whole_way(demo: Server, open_page: OpenPage) -> None:
    seen = open_page(demo, around(SUPPLIER_STATS))
    seen.card(SUPPLIER_STATS).get_by_role("button", name="Show columns").click()
    seen.card(SUPPLIER_STATS).get_by_role("button", name="total_price").click()
    # The card of the source shows the columns on the way, though nobody opened it.
    source = seen.card(LAKE_ORDERS)
    expect(source.get_by_role("button", name="price")).to_have_attribute("data-way", "direct")
    expect(source.get_by_role("button", name="supplier")).to_have_attribute("data-way", "indirect")
    expect(source.get_by_role("button", name="item")).to_have_count(0)
    expect(seen.page.get_by_role("status")).to_contain_text("Lineage of total_price: 4 columns")
    seen.picture("graph-column-light")
    seen.page.get_by_role("button", name="Clear").click()
    expect(source.get_by_role("button", name="price")).to_have_count(0)


def test_all_columns(demo: Server, open_page: OpenPage) -> None:
    seen = open_page(demo, around(SUPPLIER_STATS), LOOKS["dark"])
    seen.page.get_by_role("button", name="Columns", exact=True).click()
    expect(seen.card(LAKE_ORDERS).get_by_role("button", name="item")).to_be_visible()
    seen.assert_wires(5 + 9)
    seen.assert_accessible()
    seen.picture("graph-columns-dark")


def test_only_jobs_only_datasets(demo: Server, open_page: OpenPage) -> None:
    seen = open_page(demo, around(SUPPLIER_STATS))
    seen.assert_cards(6)
    seen.page.get_by_text("Datasets", exact=True).click()
    seen.assert_cards(2)
    seen.assert_wires(1)
    seen.page.get_by_text("Jobs", exact=True).click()
    seen.assert_cards(4)


def test_groups_close_and_open(demo: Server, open_page: OpenPage) -> None:
    seen = open_page(demo, around(SUPPLIER_STATS))
    seen.assert_cards(6)
    seen.card(OVERWRITE).get_by_role("button").first.click()
    seen.page.get_by_role("button", name="More", exact=True).click()
    seen.page.get_by_role("menuitem", name="Collapse group").click()
    seen.assert_cards(3)
    group = seen.card("job:demo-ns-rest:supplier_stats_batch")
    expect(group).to_contain_text("4 jobs")
    group.get_by_role("button", name="Expand group").click()
    seen.assert_cards(6)


def test_hide_and_show_again(demo: Server, open_page: OpenPage) -> None:
    seen = open_page(demo, around(SUPPLIER_STATS))
    seen.card(OVERWRITE).get_by_role("button").first.click()
    seen.page.get_by_role("button", name="Hide this card").click()
    expect(seen.card(OVERWRITE)).to_have_count(0)
    seen.page.get_by_role("button", name="Show 1 hidden").click()
    expect(seen.card(OVERWRITE)).to_be_visible()


def test_the_path_between_two_nodes(demo: Server, open_page: OpenPage) -> None:
    seen = open_page(demo, around(SUPPLIER_STATS))
    seen.card(SUPPLIER_STATS).get_by_role("button").first.click()
    seen.page.get_by_role("button", name="More", exact=True).click()
    seen.page.get_by_role("menuitem", name="Path to another card").click()
    expect(seen.page.get_by_role("status")).to_contain_text("Click the card")
    seen.card(LAKE_ORDERS).get_by_role("button").first.click()
    seen.assert_cards(3)
    expect(seen.page.get_by_role("status")).to_contain_text("All paths between")
    seen.page.get_by_role("button", name="Close path").click()
    seen.assert_cards(6)


def test_by_keyboard(demo: Server, open_page: OpenPage) -> None:
    seen = open_page(demo, around(SUPPLIER_STATS))
    seen.assert_cards(6)
    seen.page.keyboard.press("ArrowRight")  # the focus first
    expect(seen.card(SUPPLIER_STATS)).to_have_attribute("data-selected", "true")
    seen.page.keyboard.press("ArrowLeft")
    expect(seen.card(SUPPLIER_STATS)).not_to_have_attribute("data-selected", "true")
    expect(seen.page.locator("article[data-selected]")).to_have_attribute("data-kind", "job")
    seen.page.keyboard.press("Enter")
    expect(seen.page.get_by_role("dialog")).to_be_visible()
    seen.page.keyboard.press("Escape")
    expect(seen.page.get_by_role("dialog")).to_have_count(0)
    seen.page.keyboard.press("-")
    seen.page.keyboard.press("f")


def test_find_flies_to_a_card_or_focuses_on_what_is_elsewhere(demo: Server, open_page: OpenPage) -> None:
    seen = open_page(demo, "/graph")
    seen.assert_cards(29)
    find = seen.page.get_by_placeholder("Find a card")
    find.fill("failing")
    seen.page.get_by_role("option", name=re.compile("failing-job")).first.click()
    expect(seen.card(FAILING)).to_be_visible()
    expect(seen.card(FAILING)).to_have_attribute("data-selected", "true")
    expect(seen.page.get_by_role("region", name="Selected: failing-job")).to_contain_text("Upstream")
    seen.page.get_by_role("button", name="Focus", exact=True).click()
    seen.assert_cards(3)
    find.fill("supplier_stats")
    seen.page.get_by_role("option", name="rest/default/supplier_stats").first.click()
    seen.assert_cards(6)


def test_what_one_types_before_the_suggestions_are_loaded_is_kept(demo: Server, open_page: OpenPage) -> None:
    seen = open_page(demo, "/graph")
    seen.assert_cards(29)
    held_routes: list[Route] = []
    seen.page.route("**/FindSuggest*.js", lambda route: held_routes.append(route))
    seen.page.keyboard.press("g")
    seen.page.keyboard.type("fail")
    expect(seen.page.get_by_placeholder("Find a card")).to_have_value("fail")
    held_routes[0].continue_()
    expect(seen.page.get_by_role("option", name="failing-job")).to_be_visible()
    seen.page.keyboard.type("ing-j")
    seen.page.keyboard.press("ArrowDown")
    seen.page.keyboard.press("Enter")
    expect(seen.card(FAILING)).to_have_attribute("data-selected", "true")


def test_a_menu_gives_the_focus_back_to_its_button(demo: Server, open_page: OpenPage) -> None:
    seen = open_page(demo, "/graph")
    seen.assert_cards(29)
    button = seen.page.get_by_role("button", name="Export")
    for _ in range(2):  # the first time it is loaded
        button.focus()
        seen.page.keyboard.press("Enter")
        expect(seen.page.get_by_role("menuitem", name="SVG")).to_be_visible()
        seen.page.keyboard.press("Escape")
        expect(button).to_be_focused()


def test_the_address_has_all_that_one_sees(demo: Server, open_page: OpenPage) -> None:
    seen = open_page(demo, around(SUPPLIER_STATS))
    seen.assert_cards(6)  # laid out without columns; otherwise the new layout below would be the same as the first
    seen.page.get_by_role("button", name="Columns", exact=True).click()
    seen.card(LAKE_ORDERS).get_by_role("button", name="price").click()
    expect(seen.page.get_by_role("status")).to_contain_text("Lineage of price")
    # Cards stayed where they were when the columns opened; a link opens with a new layout.
    before = seen.page.url
    seen.page.get_by_role("button", name="Re-layout").click()
    expect(seen.page).not_to_have_url(before)  # the new layout is looked at as a whole
    before = seen.page.url
    seen.page.mouse.move(600, 300)
    seen.page.mouse.wheel(0, 200)
    expect(seen.page).not_to_have_url(before)
    place = seen.place(LAKE_ORDERS)
    other = open_page(demo, seen.page.url.removeprefix(demo.url))
    expect(other.page.get_by_role("status")).to_contain_text("Lineage of price")
    expect(other.card(LAKE_ORDERS)).to_be_visible()
    x, y = other.place(LAKE_ORDERS)
    assert abs(x - place[0]) <= 2
    assert abs(y - place[1]) <= 2


def test_back_takes_a_step_back(demo: Server, open_page: OpenPage) -> None:
    seen = open_page(demo, around(SUPPLIER_STATS))
    seen.assert_cards(6)
    seen.page.get_by_text("Datasets", exact=True).click()
    seen.assert_cards(2)
    seen.page.go_back()
    seen.assert_cards(6)


def test_lanes_labels_and_namespaces(demo: Server, open_page: OpenPage) -> None:
    seen = open_page(demo, "/graph", LOOKS["dark"])
    seen.assert_cards(29)
    seen.page.get_by_role("button", name="View options").click()
    seen.page.get_by_role("switch", name="One lane per namespace").click()
    seen.page.keyboard.press("Escape")
    expect(seen.page).to_have_url(re.compile("lanes=1"))
    seen.picture("graph-lanes-dark")
    seen.page.get_by_role("region", name="Colours").get_by_role("button", name="trial-flink", exact=True).click()
    expect(seen.page.get_by_role("status")).to_contain_text("Only trial-flink")
    seen.assert_cards(11)
    seen.page.get_by_role("button", name="Show all").click()
    seen.assert_cards(29)


@pytest.mark.parametrize("kind", ["SVG", "PNG", "Mermaid", "JSON"])
def test_what_is_shown_can_be_saved(demo: Server, open_page: OpenPage, tmp_path: Path, kind: str) -> None:
    seen = open_page(demo, around(SUPPLIER_STATS), accept_downloads=True)
    seen.assert_cards(6)
    seen.page.get_by_role("button", name="Export").click()
    with seen.page.expect_download() as download:
        seen.page.get_by_role("menuitem", name=kind).click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    content = file.read_bytes()
    if kind == "SVG":
        assert b"supplier_stats" in content
        assert content.startswith(b"<svg")
    elif kind == "PNG":
        assert content.startswith(b"\x89PNG")
        assert len(content) > 10_000
    elif kind == "Mermaid":
        assert content.startswith(b"flowchart LR")
    else:
        assert len(json_of(file)["nodes"]) == 6


def test_from_afar_all_is_on_the_canvas_and_can_still_be_clicked(demo: Server, open_page: OpenPage) -> None:
    seen = open_page(demo, around(SUPPLIER_STATS, view="500,300,0.3"))
    seen.assert_cards(6)
    expect(seen.page.locator("article")).to_have_count(0)
    assert seen.page.locator("[data-testid=stage] *").count() < 100
    # The layout is the same every time: where a card stands is seen from near.
    near = open_page(demo, around(SUPPLIER_STATS, view="0,0,0.7"))
    expect(near.card(LAKE_ORDERS)).to_be_visible()
    x, y = near.place(LAKE_ORDERS)
    seen.page.mouse.click(500 + (x / 0.7 + 40) * 0.3, HEADER + 300 + ((y - HEADER) / 0.7 + 20) * 0.3)
    expect(seen.page.get_by_role("region", name="Selected: rest/default/orders")).to_be_visible()


# What is drawn of the graph, as far as it is in the window.
SHEET = """async () => {
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  const stage = document.querySelector("[data-testid=stage]");
  const sheet = stage.querySelector("canvas:last-of-type");
  const [window, drawn] = [stage.getBoundingClientRect(), sheet.getBoundingClientRect()];
  const seen = Object.assign(document.createElement("canvas"), { width: window.width, height: window.height });
  const pen = seen.getContext("2d");
  pen.drawImage(sheet, drawn.x - window.x, drawn.y - window.y);
  const cover = pen.getImageData(0, 0, seen.width, seen.height).data.filter((_, at) => at % 4 === 3);
  return Array.from(cover, (one) => String.fromCharCode(48 + (one >> 2))).join("");
}"""


def difference(page: Page, drawn: str) -> int:
    """By how many 64ths of a pixel more or less is covered, where that differs most."""
    return max(abs(ord(a) - ord(b)) for a, b in zip(drawn, page.evaluate(SHEET), strict=True))


@pytest.mark.parametrize("zoom", [0.3, 0.8])
@pytest.mark.parametrize("way", [(-90, 60), (-700, -300)], ids=["a little", "far"])
def test_what_is_dragged_is_drawn_where_it_is(
    demo: Server, open_page: OpenPage, zoom: float, way: tuple[int, int]
) -> None:
    seen = open_page(demo, around(SUPPLIER_STATS, view=f"700,200,{zoom}"))
    seen.assert_cards(6)
    seen.page.mouse.move(900, 600)  # where there is nothing that lights up
    seen.page.mouse.down()
    for part in range(1, 11):
        seen.page.mouse.move(900 + way[0] * part / 10, 600 + way[1] * part / 10)
    drawn = seen.page.evaluate(SHEET)
    there = open_page(demo, around(SUPPLIER_STATS, view=f"{700 + way[0]},{200 + way[1]},{zoom}"))
    there.assert_cards(6)
    # Edges are smoothed a little differently when they are drawn elsewhere on the sheet.
    wait_for(lambda: difference(there.page, drawn) < 12, "the same picture in a page that was not dragged")
    seen.page.mouse.up()
    expect(seen.page).to_have_url(re.compile(f"view={700 + way[0]}%2C{200 + way[1]}%2C"))


def test_tidy_and_fit(demo: Server, open_page: OpenPage) -> None:
    seen = open_page(demo, around(SUPPLIER_STATS))
    seen.assert_cards(6)
    seen.page.get_by_role("button", name="Fewer upstream").click()
    seen.page.get_by_role("button", name="More upstream").click()
    seen.page.get_by_role("button", name="Re-layout").click()
    seen.page.get_by_role("button", name="Fit to window").click()
    seen.assert_cards(6)
    expect(seen.card(SUPPLIER_STATS)).to_be_in_viewport()


def test_the_minimap_goes_where_one_clicks(demo: Server, open_page: OpenPage) -> None:
    seen = open_page(demo, "/graph?view=0,100,1")
    seen.assert_cards(29)
    before = seen.page.url
    seen.page.get_by_test_id("minimap").click(position={"x": 150, "y": 30})
    expect(seen.page).not_to_have_url(before)


def test_a_card_under_the_pointer_lights_its_ways(demo: Server, open_page: OpenPage) -> None:
    seen = open_page(demo, around(SUPPLIER_STATS))
    seen.assert_cards(6)
    other = seen.card("job:demo-ns-rest:supplier_stats_batch.create_table.default_orders")
    seen.card("job:demo-ns-rest:supplier_stats_batch.append_data.demo_default_orders").hover()
    expect(other).to_have_attribute("data-faded", "true")
    seen.page.mouse.move(640, 600, steps=3)
    expect(other).not_to_have_attribute("data-faded", "true")


def test_columns_show_while_the_pointer_rests_and_nothing_moves(demo: Server, open_page: OpenPage) -> None:
    seen = open_page(demo, around(SUPPLIER_STATS))
    seen.assert_cards(6)
    before = seen.place(SUPPLIER_STATS)
    seen.card(LAKE_ORDERS).hover()
    columns = seen.card(LAKE_ORDERS).get_by_role("list", name="Columns")
    expect(columns).to_contain_text("bid_time")
    assert seen.place(SUPPLIER_STATS) == before
    seen.picture("graph-hover-light")
    seen.card(SUPPLIER_STATS).hover()
    expect(columns).to_have_count(0)
    # They can be clicked like those of an opened card.
    seen.card(LAKE_ORDERS).hover()
    columns.get_by_role("button", name="price").click()
    expect(seen.page.get_by_role("status")).to_contain_text("Lineage of price")


def test_columns_of_an_overview_are_requested(demo: Server, open_page: OpenPage) -> None:
    seen = open_page(demo, "/graph?namespace=demo-ns-rest")
    seen.card(LAKE_ORDERS).hover()
    expect(seen.card(LAKE_ORDERS).get_by_role("list", name="Columns")).to_contain_text("bid_time")


@pytest.mark.parametrize("path", ["/graph", around(SUPPLIER_STATS)], ids=["everything", "around a dataset"])
def test_on_a_phone_cards_can_be_read(demo: Server, open_page: OpenPage, path: str) -> None:
    seen = open_page(demo, path, window=PHONE)
    card = seen.page.locator("article").first
    expect(card).to_be_visible()
    box = card.bounding_box()
    assert box is not None
    assert box["width"] > 130  # of 236 at full size: the smallest text has 7 pixels
    assert not seen.page.evaluate("document.documentElement.scrollWidth > innerWidth")


def test_on_a_phone_panels_are_sheets_at_the_bottom(demo: Server, open_page: OpenPage) -> None:
    seen = open_page(demo, around(SUPPLIER_STATS), window=PHONE)
    seen.card(SUPPLIER_STATS).get_by_role("button").first.click()
    panel = seen.page.get_by_role("region", name="Selected: rest/default/supplier_stats")
    expect(panel).to_contain_text("Upstream")
    expect(seen.card(SUPPLIER_STATS)).to_be_in_viewport(ratio=1)
    seen.picture("phone-graph")
    panel.get_by_role("button", name="Details").click()
    sheet = seen.page.get_by_role("dialog", name="Details")
    expect(sheet.get_by_role("heading", name="supplier_stats")).to_be_visible()
    seen.still()
    box = sheet.bounding_box()
    assert box is not None
    assert (box["x"], box["width"], box["y"] + box["height"]) == (0, PHONE["width"], PHONE["height"])
    assert box["y"] > 50  # the view stays in sight
    seen.assert_accessible()
    seen.picture("phone-graph-details")
    sheet.get_by_role("button", name="Close details").click()
    expect(sheet).to_have_count(0)
