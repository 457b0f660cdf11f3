"""What one event changed, as subscribers are change."""

import pytest

from headwater.ingest.folding import recover
from headwater.live import updates
from headwater.shapes.common import EdgeRef
from headwater.shapes.live import LiveChange
from tests.support.live import LiveWorld, read_all
from tests.support.make import (
    columns,
    dataset,
    dataset_event,
    deleted,
    facet,
    job_event,
    lifecycle,
    parent,
    run,
    schema,
    symlinks,
)

START = run("START", "load", 1, inputs=["raw"], outputs=["clean"])


def edges(change: list[EdgeRef]) -> set[str]:
    return {f"{e.origin} → {e.destination}" for e in change}


def says_nothing_new(change: LiveChange) -> bool:
    return not (
        change.addedNodes
        or change.addedEdges
        or change.removedNodes
        or change.removedEdges
        or change.schemas
        or change.columns
        or change.changed
    )


# Nodes and edges


def test_new_nodes_and_edges_are_reported_once() -> None:
    world = LiveWorld()
    change = world.update_for(START)
    assert {n.nodeId for n in change.addedNodes} == {"job:jobs:load", "dataset:db:raw", "dataset:db:clean"}
    assert {(n.type, n.namespace, n.name) for n in change.addedNodes} == {
        ("JOB", "jobs", "load"),
        ("DATASET", "db", "raw"),
        ("DATASET", "db", "clean"),
    }
    assert edges(change.addedEdges) == {"dataset:db:raw → job:jobs:load", "job:jobs:load → dataset:db:clean"}
    assert (change.job, change.inputs, change.outputs) == ("job:jobs:load", ["dataset:db:raw"], ["dataset:db:clean"])
    assert change.changed == change.schemas == change.columns == []

    again = world.update_for(run("COMPLETE", "load", 2, inputs=["raw"], outputs=["clean"]))
    assert says_nothing_new(again)
    assert (again.job, again.inputs, again.outputs) == ("job:jobs:load", ["dataset:db:raw"], ["dataset:db:clean"])


def test_a_new_input_of_a_known_job_is_reported() -> None:
    change = LiveWorld().update_for(START, run("RUNNING", "load", 2, inputs=["raw", "more"]))
    assert [n.nodeId for n in change.addedNodes] == ["dataset:db:more"]
    assert edges(change.addedEdges) == {"dataset:db:more → job:jobs:load"}


def test_the_same_event_twice_makes_one_update() -> None:
    world = LiveWorld()
    subscription = world.subscribe()
    world.feed(START)
    assert len(read_all(subscription)) == 1
    world.feed(START)
    assert read_all(subscription) == []


def test_a_replay_makes_no_updates() -> None:
    world = LiveWorld([START])
    subscription = world.subscribe()
    world.state = recover(world.log, world.tables)
    world.hub.publish()
    assert read_all(subscription) == []
    assert world.state.effects is None


def test_a_dataset_event_names_its_dataset() -> None:
    change = LiveWorld().update_for(dataset_event("table", 1, schema("id")))
    assert (change.dataset, change.job, change.run, change.eventType) == ("dataset:db:table", None, None, "STATIC")
    assert [n.nodeId for n in change.addedNodes] == ["dataset:db:table"]


# Runs


@pytest.mark.parametrize(
    ("kind", "state"),
    [("START", "RUNNING"), ("COMPLETE", "COMPLETED"), ("FAIL", "FAILED"), ("ABORT", "ABORTED"), ("OTHER", "NEW")],
)
def test_a_new_run_has_a_state_and_none_before(kind: str, state: str) -> None:
    change = LiveWorld().update_for(run(kind, "load"))
    assert change.run is not None
    assert (change.run.id, change.run.job, change.run.state, change.run.before) == (
        "run-1",
        "job:jobs:load",
        state,
        None,
    )
    assert change.eventType == kind


def test_a_run_that_goes_on_has_the_state_before() -> None:
    world = LiveWorld()
    change = world.update_for(START, run("COMPLETE", "load", 5))
    assert change.run is not None
    assert (change.run.before, change.run.state) == ("RUNNING", "COMPLETED")
    assert change.run.startedAt is not None
    assert change.run.endedAt == change.eventTime
    late = world.update_for(run("RUNNING", "load", 3)).run
    assert late is not None
    assert (late.before, late.state) == ("COMPLETED", "COMPLETED")


def test_a_run_that_was_only_named_by_its_child_is_new_when_it_reports() -> None:
    world = LiveWorld()
    child = world.update_for(run("START", "child", facets=parent("app", "run-0")))
    assert {n.nodeId for n in child.addedNodes} == {"job:jobs:child", "job:jobs:app"}
    change = world.update_for(run("START", "app", run_id="run-0")).run
    assert change is not None
    assert change.before is None


def test_a_run_of_the_tables_has_the_state_before() -> None:
    world = LiveWorld([START])  # in a state that was loaded
    world.state.runs.clear()
    change = world.update_for(run("FAIL", "load", 5)).run
    assert change is not None
    assert (change.before, change.state) == ("RUNNING", "FAILED")


# Facets, schemas, columns


def test_a_changed_schema_is_reported_once() -> None:
    world = LiveWorld()
    first = run("START", "load", 1, outputs=[dataset("clean", schema("id"))])
    second = run("RUNNING", "load", 2, outputs=[dataset("clean", schema("id", "name"))])
    assert world.update_for(first, second).schemas == ["dataset:db:clean"]
    third = run("COMPLETE", "load", 3, outputs=[dataset("clean", schema("id", "name"))])
    assert says_nothing_new(world.update_for(third))


def test_a_first_schema_of_a_known_dataset_is_reported() -> None:
    change = LiveWorld().update_for(START, run("COMPLETE", "load", 2, outputs=[dataset("clean", schema("id"))]))
    assert (change.schemas, change.changed) == (["dataset:db:clean"], [])


def test_a_schema_that_comes_late_changes_nothing() -> None:
    world = LiveWorld()
    world.feed(START, run("RUNNING", "load", 5, outputs=[dataset("clean", schema("id", "name"))]))
    assert says_nothing_new(world.update_for(run("OTHER", "load", 2, outputs=[dataset("clean", schema("id"))])))


def test_what_a_reader_says_of_a_schema_counts_only_where_no_writer_spoke() -> None:
    world = LiveWorld()
    world.feed(START)
    read = run("START", "report", 2, "run-2", inputs=[dataset("clean", schema("id"))])
    assert world.update_for(read).schemas == ["dataset:db:clean"]
    world.feed(run("RUNNING", "load", 3, outputs=[dataset("clean", schema("id", "name"))]))
    read_less = run("RUNNING", "report", 4, "run-2", inputs=[dataset("clean", schema("name"))])
    assert world.update_for(read_less).schemas == []


def test_a_changed_facet_of_a_job_or_dataset_is_reported() -> None:
    world = LiveWorld()
    world.feed(START)
    about = {"documentation": facet(description="the clean one")}
    change = world.update_for(run("RUNNING", "load", 2, outputs=[dataset("clean", about)], job_facets=about))
    assert set(change.changed) == {"job:jobs:load", "dataset:db:clean"}
    assert says_nothing_new(world.update_for(run("RUNNING", "load", 3, job_facets=about)))
    change = world.update_for(run("RUNNING", "load", 4, job_facets={"documentation": deleted()}))
    assert change.changed == ["job:jobs:load"]


def test_a_parent_that_becomes_known_changes_the_job() -> None:
    world = LiveWorld()
    world.feed(START)
    change = world.update_for(run("RUNNING", "load", 2, facets=parent("app", "run-0")))
    assert change.changed == ["job:jobs:load"]
    assert says_nothing_new(world.update_for(run("RUNNING", "load", 3, facets=parent("app", "run-0"))))


def test_new_column_lineage_is_reported_and_so_is_one_that_comes_back() -> None:
    world = LiveWorld()
    world.feed(START)

    def columns_from(source: str, at: float) -> list[str]:
        output = dataset("clean", columns(x=[source]))
        return world.update_for(run("RUNNING", "load", at, inputs=["raw"], outputs=[output])).columns

    assert columns_from("raw.a", 2) == ["dataset:db:clean"]
    assert columns_from("raw.a", 3) == []
    assert columns_from("raw.b", 4) == ["dataset:db:clean"]
    assert columns_from("raw.a", 5) == ["dataset:db:clean"]
    assert columns_from("raw.a", 6) == []
    assert columns_from("raw.b", 4.5) == []


def test_explicit_lineage_of_a_job_that_is_taken_back_changes_the_columns() -> None:
    world = LiveWorld()
    world.feed(START)
    entry = {
        "type": "DATASET",
        "namespace": "db",
        "name": "clean",
        "fields": {"x": {"inputs": [{"type": "DATASET", "namespace": "db", "name": "raw", "field": "y"}]}},
    }
    change = world.update_for(job_event("load", 2, {"lineage": facet(entries=[entry])}))
    assert (change.columns, change.changed) == (["dataset:db:clean"], ["job:jobs:load"])
    change = world.update_for(job_event("load", 3, {"lineage": deleted()}))
    assert (change.columns, change.changed) == (["dataset:db:clean"], ["job:jobs:load"])


# Names


def test_datasets_that_turn_out_to_be_one_are_reported_as_one() -> None:
    world = LiveWorld()
    world.feed(START, run("START", "report", 1, "run-2", inputs=[("hive", "clean")]))
    change = world.update_for(run("RUNNING", "load", 2, outputs=[dataset("clean", symlinks(("hive", "clean")))]))
    assert change.removedNodes == ["dataset:hive:clean"]
    assert edges(change.removedEdges) == {"dataset:hive:clean → job:jobs:report"}
    assert edges(change.addedEdges) == {"dataset:db:clean → job:jobs:report"}
    assert change.addedNodes == []
    assert change.changed == ["dataset:db:clean"]

    apart = world.update_for(run("RUNNING", "load", 3, outputs=[dataset("clean", {"symlinks": deleted()})]))
    assert [n.nodeId for n in apart.addedNodes] == ["dataset:hive:clean"]
    assert edges(apart.removedEdges) == {"dataset:db:clean → job:jobs:report"}
    assert edges(apart.addedEdges) == {"dataset:hive:clean → job:jobs:report"}


def test_a_known_dataset_under_a_new_name_is_not_new() -> None:
    world = LiveWorld()
    world.feed(run("START", "load", 1, outputs=[dataset("clean", symlinks(("hive", "clean")))]))
    change = world.update_for(run("START", "report", 2, "run-2", inputs=[("hive", "clean")]))
    assert [n.nodeId for n in change.addedNodes] == ["job:jobs:report"]
    assert edges(change.addedEdges) == {"dataset:db:clean → job:jobs:report"}
    assert change.inputs == ["dataset:db:clean"]
    same_edge = world.update_for(run("RUNNING", "report", 3, "run-2", inputs=["clean"]))
    assert same_edge.addedEdges == []


def test_a_renamed_dataset_moves() -> None:
    world = LiveWorld()
    world.feed(START)
    change = world.update_for(dataset_event("better", 2, lifecycle("RENAME", previous="clean")))
    assert [n.nodeId for n in change.addedNodes] == ["dataset:db:better"]
    assert change.removedNodes == ["dataset:db:clean"]
    assert edges(change.removedEdges) == {"job:jobs:load → dataset:db:clean"}
    assert edges(change.addedEdges) == {"job:jobs:load → dataset:db:better"}


# A mistake of ours


def test_an_incomplete_update_makes_subscribers_resync(monkeypatch: pytest.MonkeyPatch) -> None:
    world = LiveWorld()
    subscription = world.subscribe()
    with monkeypatch.context() as broken:
        broken.setattr(updates, "graph_update", lambda *_: 1 / 0)
        world.feed(START)
    assert [m.kind for m in read_all(subscription)] == ["resync"]
    world.feed(run("COMPLETE", "load", 2))
    assert [m.kind for m in read_all(subscription)] == ["change"]
