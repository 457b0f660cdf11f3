"""Facets, life and versions of datasets."""

import pytest

from headwater.openlineage.timestamps import parse
from tests.support.make import (
    dataset,
    dataset_event,
    deleted,
    facet,
    job_event,
    lifecycle,
    run,
    schema,
    time,
)
from tests.support.world import World, one_world


def test_the_later_facet_replaces_the_earlier_and_history_keeps_both() -> None:
    world = one_world(
        [
            dataset_event("t", 0, {"documentation": facet(description="old")}),
            dataset_event("t", 5, {"documentation": facet(description="new")}),
            dataset_event("t", 9, {"other": facet(x=1)}),
        ]
    )
    assert world.dataset("t")["description"] == "new"
    assert set(world.dataset("t")["facets"]) == {"documentation", "other"}
    past = world.tables.past_facets(world.node("t"))
    assert [name for name, _ in past] == ["documentation"]


def test_a_deleted_facet_is_gone_until_it_is_reported_again() -> None:
    events = [
        dataset_event("t", 0, {"documentation": facet(description="old")}),
        dataset_event("t", 5, {"documentation": deleted()}),
    ]
    assert one_world(events).dataset("t")["description"] is None
    assert "documentation" not in one_world(events).dataset("t")["facets"]
    events.append(dataset_event("t", 6, {"documentation": facet(description="again")}))
    assert one_world(events).dataset("t")["description"] == "again"


def test_unknown_facets_come_back_as_they_were() -> None:
    odd = facet(any={"thing": [1, 2.5, None, "ü"]})
    assert one_world([dataset_event("t", 0, {"my_own": odd})]).dataset("t")["facets"]["my_own"] == odd


def test_a_known_facet_that_makes_no_sense_is_stored_but_not_used() -> None:
    odd = {"schema": facet(fields="not a list"), "documentation": facet(description=7)}
    shown = one_world([dataset_event("t", 0, odd)]).dataset("t")
    assert (shown["fields"], shown["description"]) == ([], None)
    assert shown["facets"]["schema"]["fields"] == "not a list"


def test_tags_owners_and_documentation() -> None:
    tags = facet(
        tags=[
            {"key": "pii", "value": "true"},
            {"key": "tier", "value": "gold"},
            {"key": "mail", "value": "", "field": "id"},
        ]
    )
    world = one_world(
        [
            dataset_event(
                "t", 0, {"tags": tags, **schema("id:INT", "name"), "documentation": facet(description="orders")}
            )
        ]
    )
    shown = world.dataset("t")
    assert shown["tags"] == ["pii", "tier:gold"]
    assert [(f["name"], f["tags"]) for f in shown["fields"]] == [("id", ["mail"]), ("name", [])]


@pytest.mark.parametrize(
    ("processing_type", "shown"), [("BATCH", "BATCH"), ("STREAMING", "STREAM"), ("SERVICE", "SERVICE")]
)
def test_job_types(processing_type: str, shown: str) -> None:
    facets = {"jobType": facet(processingType=processing_type, integration="FLINK", jobType="JOB")}
    assert one_world([job_event("j", facets=facets)]).job("j()")["type"] == shown


def test_job_documentation_and_code_location() -> None:
    facets = {
        "documentation": facet(description="loads"),
        "sourceCodeLocation": facet(type="git", url="https://example.test/repo"),
        "tags": facet(tags=[{"key": "team", "value": "core"}]),
    }
    job = one_world([job_event("j", facets=facets)]).job("j()")
    assert (job["description"], job["location"], job["tags"]) == (
        "loads",
        "https://example.test/repo",
        ["team:core"],
    )


def test_sources_come_from_the_data_source_facet() -> None:
    world = one_world([dataset_event("t", 0, {"dataSource": facet(name="pg", uri="postgres://h/db")})])
    assert world.dataset("t")["sourceName"] == "pg"
    assert world.state.sources["pg"].uri == "postgres://h/db"


def test_statistics_belong_to_the_run() -> None:
    output = dataset("t", outputFacets={"outputStatistics": facet(rowCount=7, size=70)})
    world = one_world([run("COMPLETE", "a", outputs=[output])])
    (use,) = world.run().uses.values()
    assert b'"rowCount":7' in bytes(world.renderer.shown_facets(use.facets)["outputStatistics"])
    assert "outputStatistics" not in world.dataset("t")["facets"]


def test_a_dropped_dataset_is_marked_and_a_new_writer_brings_it_back() -> None:
    dropped = [
        run("COMPLETE", "make", 0, "r1", outputs=["t"]),
        run("START", "drop", 5, "r2", outputs=[dataset("t", lifecycle("DROP"))]),
        run("COMPLETE", "drop", 6, "r2", outputs=["t"]),
    ]
    shown = one_world(dropped).dataset("t")
    assert (shown["deleted"], shown["lastLifecycleState"]) == (True, "DROP")
    assert one_world([*dropped, run("COMPLETE", "make", 9, "r3", outputs=["t"])]).dataset("t")["deleted"] is False
    created = run("COMPLETE", "drop", 9, "r4", outputs=[dataset("t", lifecycle("CREATE"))])
    assert one_world([*dropped, created]).dataset("t")["deleted"] is False


def test_truncate_keeps_the_dataset() -> None:
    world = one_world([run("COMPLETE", "a", outputs=[dataset("t", lifecycle("TRUNCATE"))])])
    shown = world.dataset("t")
    assert (shown["deleted"], shown["lastLifecycleState"]) == (False, "TRUNCATE")


def test_history_follows_a_rename() -> None:
    events = [
        run("COMPLETE", "make", 0, "r1", ["raw"], [dataset("old", schema("id:INT"))]),
        run("COMPLETE", "alter", 5, "r2", outputs=[dataset("new", lifecycle("RENAME", previous="old"))]),
        run("COMPLETE", "use", 6, "r3", inputs=["new"]),
    ]
    world = one_world(events)
    assert world.nodes("new", "both") == {"new", "make()", "raw", "alter()", "use()"}
    assert world.dataset("old")["name"] == "new"
    assert [f["name"] for f in world.dataset("new")["fields"]] == ["id"]


def test_a_name_that_is_taken_again_after_a_rename_is_another_dataset() -> None:
    events = [
        run("COMPLETE", "make", 0, "r1", outputs=["old"]),
        run("COMPLETE", "alter", 5, "r2", outputs=[dataset("new", lifecycle("RENAME", previous="old"))]),
        run("COMPLETE", "make", 9, "r3", outputs=[dataset("old", lifecycle("CREATE"))]),
    ]
    assert one_world(events).dataset("old")["name"] == "old"


def versions(world: World, name: str) -> list[str]:
    return [v.version for v in world.tables.versions([world.node(name)], 100, 0)]


def test_versions_come_from_the_version_facet() -> None:
    named = dataset("t", {"version": facet(datasetVersion="42"), **schema("id:INT")})
    world = one_world(
        [
            run("START", "a", 0, outputs=[dataset("t", schema("id:INT"))]),
            run("COMPLETE", "a", 1, outputs=[named]),
            run("COMPLETE", "b", 2, "r2", inputs=[named]),
        ]
    )
    assert versions(world, "t") == ["42"]
    (version,) = world.tables.versions([world.node("t")], 100, 0)
    assert version.run == world.run().row
    assert "version" not in world.dataset("t")["facets"]


def test_without_the_facet_a_run_makes_a_version_for_each_schema_it_writes() -> None:
    world = one_world(
        [
            run("START", "a", 0, outputs=["t"]),
            run("RUNNING", "a", 1, outputs=[dataset("t", schema("id:INT"))]),
            run("RUNNING", "a", 2, outputs=[dataset("t", schema("id:INT"))]),
            run("RUNNING", "a", 3, outputs=[dataset("t", schema("id:INT", "name:TEXT"))]),
        ]
    )
    assert len(versions(world, "t")) == 2


def test_each_run_writes_its_own_version() -> None:
    output = dataset("t", schema("id:INT"))
    world = one_world(
        [run("COMPLETE", "a", 0, "r1", outputs=[output]), run("COMPLETE", "a", 9, "r2", outputs=[output])]
    )
    assert len(versions(world, "t")) == 2


def test_a_dataset_event_makes_a_version_by_content() -> None:
    world = one_world(
        [
            dataset_event("t", 0, schema("id")),
            dataset_event("t", 5, schema("id")),
            dataset_event("t", 6, schema("id", "n")),
        ]
    )
    assert len(versions(world, "t")) == 2


def test_created_and_updated_are_event_times() -> None:
    world = one_world([run("START", "a", 3, outputs=["t"]), run("COMPLETE", "a", 7, outputs=["t"])])
    dataset_seen = world.state.dataset_of(world.node("t"))
    assert (dataset_seen.first, dataset_seen.last) == (parse(time(3)), parse(time(7)))


def test_of_two_jobs_that_drop_a_dataset_at_the_same_moment_one_counts_whatever_comes_first() -> None:
    drop = dataset("t", lifecycle("DROP"))
    world = one_world([run("COMPLETE", "a", 0, "r1", outputs=[drop]), run("COMPLETE", "b", 0, "r2", outputs=[drop])])
    life = world.state.dataset_of(world.node("t")).lifecycle
    assert life is not None
    assert life.job == world.node("b()")
