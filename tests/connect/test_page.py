"""The page's view of connectors, in Chromium, on a real worker."""

import json
import re
from types import SimpleNamespace
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, browser, open_page  # noqa: F401
from tests.browser.support import LOOKS, Watched
from tests.connect.cluster import NAMESPACE, PATIENCE, Cluster, Watching
from tests.connect.test_lifecycle import SINK, SOURCE, source
from tests.support.server import wait_for

# Connect takes its time with a rebalance.
expect.set_options(timeout=60_000)

TEXT = "org.apache.kafka.connect.storage.StringConverter"


def visit(open_page: OpenPage, cluster: Cluster, path: str, **options: Any) -> Watched:  # noqa: F811
    return open_page(SimpleNamespace(url=cluster.headwater), path, **options)


def panel(page: Page, name: str) -> Any:
    return page.get_by_role("region", name=f"Connector {name}")


def listed(page: Page, name: str) -> Any:
    return page.get_by_role("table", name="Connectors").get_by_role("row").filter(has_text=name)


def test_what_runs_is_seen_with_tasks_topics_and_configuration(
    cluster: Cluster,
    watcher: Watching,
    open_page: OpenPage,  # noqa: F811
) -> None:
    cluster.produce("looked-at", b"a", b"b")
    config = {"connector.class": SINK, "topics": "looked-at", "file": str(cluster.files / "looked-at")}
    cluster.put("looked-at", {**config, "value.converter": TEXT, "connector.password": "pa55"})
    cluster.wait_task("looked-at", "RUNNING")
    cluster.wait_runs("looked-at", "RUNNING")
    watched = visit(open_page, cluster, "/connectors")
    page = watched.page
    row = listed(page, "looked-at")
    expect(row).to_contain_text("Running")
    expect(row).to_contain_text("1 of 1 running")
    row.get_by_role("button", name="looked-at").click()
    shown = panel(page, "looked-at")
    expect(shown).to_contain_text("FileStreamSinkConnector")
    expect(shown.get_by_role("table", name="Configuration")).to_contain_text("[hidden]")
    expect(shown).not_to_contain_text("pa55")
    expect(shown.get_by_role("table", name="Topics")).to_contain_text("lag 0")
    watched.assert_accessible()
    watched.picture("connectors-light")
    page.reload()
    expect(shown).to_contain_text("looked-at")
    shown.get_by_role("link", name="Graph").click()
    expect(watched.card("job:kafka-connect:looked-at")).to_be_visible()


def test_a_connector_is_deployed_from_json_with_its_mistakes_shown_beside_the_options(
    cluster: Cluster,
    open_page: OpenPage,  # noqa: F811
) -> None:
    config = {**source(cluster, "deployed"), "tasks.max": "none", "batch.size": "7"}
    watched = visit(open_page, cluster, "/connectors", look=LOOKS["dark"])
    page = watched.page
    page.get_by_role("button", name="Deploy", exact=True).click()
    form = page.get_by_role("dialog", name="Deploy a connector")
    text = form.get_by_role("textbox", name="Configuration")
    text.fill("{")
    form.get_by_role("button", name="Validate").click()
    expect(form).to_contain_text("Not valid JSON")
    text.fill(json.dumps({"name": "deployed", "config": config}))
    form.get_by_role("button", name="Validate").click()
    expect(form.get_by_role("status")).to_contain_text("to fix")
    option = form.get_by_role("textbox", name="tasks.max")
    expect(option).to_have_attribute("aria-invalid", "true")
    expect(form).to_contain_text("Not a number of type INT")
    watched.assert_accessible()
    watched.picture("connectors-deploy-dark")
    option.fill("1")
    form.get_by_role("textbox", name="Your name").fill("carla")
    form.get_by_role("button", name="Deploy", exact=True).click()
    cluster._made.add("deployed")
    shown = panel(page, "deployed")
    expect(shown).to_contain_text("Running")
    expect(listed(page, "deployed")).to_contain_text("1 of 1 running")
    answer = cluster.http.get(f"{cluster.connect}/connectors/deployed/config").json()
    assert (answer["tasks.max"], answer["batch.size"]) == ("1", "7")


def test_actions_are_confirmed_and_the_log_has_the_name(
    cluster: Cluster,
    open_page: OpenPage,  # noqa: F811
) -> None:
    cluster.put("acted-on", source(cluster, "acted-on"))
    cluster.wait_task("acted-on", "RUNNING")
    watched = visit(open_page, cluster, f"/connectors?cluster={NAMESPACE}&connector=acted-on")
    page, shown = watched.page, panel(watched.page, "acted-on")
    shown.get_by_role("button", name="Pause").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Pause").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Headwater-User")  # the user has no name yet
    watched.allowed.append("400")
    dialog.get_by_role("textbox", name="Your name").fill("dora")
    dialog.get_by_role("button", name="Pause").click()
    expect(dialog).not_to_be_visible()
    expect(shown.get_by_role("button", name="Resume")).to_be_visible()
    cluster.wait_task("acted-on", "PAUSED")
    shown.get_by_role("button", name="Edit").click()
    form = page.get_by_role("dialog", name="Edit acted-on")
    text = form.get_by_role("textbox", name="Configuration")
    changed = json.loads(text.input_value()) | {"batch.size": "9"}
    text.fill(json.dumps(changed))
    form.get_by_role("button", name="Save").click()
    expect(form).not_to_be_visible()
    expect(shown.get_by_role("table", name="Configuration")).to_contain_text("batch.size")
    watched.allowed.append("404")  # it is looked at until Connect says that it is gone
    shown.get_by_role("button", name="Delete").click()
    dialog.get_by_role("button", name="Delete").click()
    expect(shown).not_to_be_visible()
    wait_for(lambda: not cluster.status("acted-on"), "its end", PATIENCE)
    events = cluster.get("/api/v1/events/lineage", limit=1000)["events"]
    operations = [e["job"]["facets"].get("headwater_operation") for e in events if e["job"]["name"] == "acted-on"]
    done = {(one["action"], one["by"]) for one in operations if one and one["outcome"] == "DONE"}
    assert done == {("pause", "dora"), ("configure", "dora"), ("delete", "dora")}


def test_why_a_task_failed_is_seen_and_it_is_restarted(
    cluster: Cluster,
    open_page: OpenPage,  # noqa: F811
) -> None:
    folder = cluster.files / "made-later"
    cluster.produce("mended", b"x")
    config = {"connector.class": SINK, "file": str(folder / "out.txt"), "topics": "mended", "value.converter": TEXT}
    cluster.put("mended", config)
    cluster.wait_task("mended", "FAILED")
    watched = visit(open_page, cluster, f"/connectors?cluster={NAMESPACE}&connector=mended")
    page, shown = watched.page, panel(watched.page, "mended")
    expect(shown).to_contain_text("made-later/out.txt")
    expect(listed(page, "mended")).to_contain_text("Failed")
    shown.get_by_role("button", name="Stack trace").click()
    expect(shown).to_contain_text(re.compile("at org.apache.kafka.connect"))
    watched.picture("connectors-failed-light")
    folder.mkdir()
    shown.get_by_role("button", name="Restart failed tasks").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Your name").fill("eva")
    dialog.get_by_role("button", name="Restart failed tasks").click()
    cluster.wait_task("mended", "RUNNING")
    expect(listed(page, "mended")).to_contain_text("Running")


def test_the_classes_of_the_cluster_are_offered_to_begin_with(
    cluster: Cluster,
    open_page: OpenPage,  # noqa: F811
) -> None:
    page = visit(open_page, cluster, "/connectors").page
    page.get_by_role("button", name="Deploy", exact=True).click()
    form = page.get_by_role("dialog", name="Deploy a connector")
    form.get_by_role("combobox", name="Start from a class").click()
    page.get_by_role("option", name=SOURCE).click()
    expect(form.get_by_role("textbox", name="Configuration")).to_have_value(re.compile(re.escape(SOURCE)))
