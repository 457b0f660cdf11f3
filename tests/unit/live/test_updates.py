"""What one event changed, as subscribers are told."""

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


def edges(told: list[EdgeRef]) -> set[str]:
    return {f"{e.origin} → {e.destination}" for e in told}


def says_nothing_new(told: LiveChange) -> bool:
    return not (
        told.addedNodes
        or told.addedEdges
        or told.removedNodes
        or told.removedEdges
        or told.schemas
        or told.columns
        or told.changed
    )


# Nodes and edges


def test_new_nodes_and_edges_are_told_once() -> None:
    world = LiveWorld()
    told = world.told_of(START)
    assert {n.nodeId for n in told.addedNodes} == {"job:jobs:load", "dataset:db:raw", "dataset:db:clean"}
    assert {(n.type, n.namespace, n.name) for n in told.addedNodes} == {
        ("JOB", "jobs", "load"),
        ("DATASET", "db", "raw"),
        ("DATASET", "db", "clean"),
    }
    assert edges(told.addedEdges) == {"dataset:db:raw → job:jobs:load", "job:jobs:load → dataset:db:clean"}
    assert (told.job, told.inputs, told.outputs) == ("job:jobs:load", ["dataset:db:raw"], ["dataset:db:clean"])
    assert told.changed == told.schemas == told.columns == []

    again = world.told_of(run("COMPLETE", "load", 2, inputs=["raw"], outputs=["clean"]))
    assert says_nothing_new(again)
    assert (again.job, again.inputs, again.outputs) == ("job:jobs:load", ["dataset:db:raw"], ["dataset:db:clean"])


def test_a_new_input_of_a_known_job_is_told() -> None:
    told = LiveWorld().told_of(START, run("RUNNING", "load", 2, inputs=["raw", "more"]))
    assert [n.nodeId for n in told.addedNodes] == ["dataset:db:more"]
    assert edges(told.addedEdges) == {"dataset:db:more → job:jobs:load"}


def test_the_same_event_twice_is_told_once() -> None:
    world = LiveWorld()
    subscription = world.subscribe()
    world.feed(START)
    assert len(read_all(subscription)) == 1
    world.feed(START)
    assert read_all(subscription) == []


def test_what_a_replay_folds_is_not_told() -> None:
    world = LiveWorld([START])
    subscription = world.subscribe()
    world.state = recover(world.log, world.tables)
    world.hub.publish()
    assert read_all(subscription) == []
    assert world.state.effects is None


def test_a_dataset_event_names_its_dataset() -> None:
    told = LiveWorld().told_of(dataset_event("table", 1, schema("id")))
    assert (told.dataset, told.job, told.run, told.eventType) == ("dataset:db:table", None, None, "STATIC")
    assert [n.nodeId for n in told.addedNodes] == ["dataset:db:table"]


# Runs


@pytest.mark.parametrize(
    ("kind", "state"),
    [("START", "RUNNING"), ("COMPLETE", "COMPLETED"), ("FAIL", "FAILED"), ("ABORT", "ABORTED"), ("OTHER", "NEW")],
)
def test_a_new_run_has_a_state_and_none_before(kind: str, state: str) -> None:
    told = LiveWorld().told_of(run(kind, "load"))
    assert told.run is not None
    assert (told.run.id, told.run.job, told.run.state, told.run.before) == ("run-1", "job:jobs:load", state, None)
    assert told.eventType == kind


def test_a_run_that_goes_on_has_the_state_before() -> None:
    world = LiveWorld()
    told = world.told_of(START, run("COMPLETE", "load", 5))
    assert told.run is not None
    assert (told.run.before, told.run.state) == ("RUNNING", "COMPLETED")
    assert told.run.startedAt is not None
    assert told.run.endedAt == told.eventTime
    late = world.told_of(run("RUNNING", "load", 3)).run
    assert late is not None
    assert (late.before, late.state) == ("COMPLETED", "COMPLETED")


def test_a_run_that_was_only_named_by_its_child_is_new_when_it_speaks() -> None:
    world = LiveWorld()
    child = world.told_of(run("START", "child", facets=parent("app", "run-0")))
    assert {n.nodeId for n in child.addedNodes} == {"job:jobs:child", "job:jobs:app"}
    told = world.told_of(run("START", "app", run_id="run-0")).run
    assert told is not None
    assert told.before is None


def test_a_run_of_the_tables_has_the_state_before() -> None:
    world = LiveWorld([START])  # in a state that was loaded
    world.state.runs.clear()
    told = world.told_of(run("FAIL", "load", 5)).run
    assert told is not None
    assert (told.before, told.state) == ("RUNNING", "FAILED")


# Facets, schemas, columns


def test_a_changed_schema_is_told_once() -> None:
    world = LiveWorld()
    first = run("START", "load", 1, outputs=[dataset("clean", schema("id"))])
    second = run("RUNNING", "load", 2, outputs=[dataset("clean", schema("id", "name"))])
    assert world.told_of(first, second).schemas == ["dataset:db:clean"]
    third = run("COMPLETE", "load", 3, outputs=[dataset("clean", schema("id", "name"))])
    assert says_nothing_new(world.told_of(third))


def test_a_first_schema_of_a_known_dataset_is_told() -> None:
    told = LiveWorld().told_of(START, run("COMPLETE", "load", 2, outputs=[dataset("clean", schema("id"))]))
    assert (told.schemas, told.changed) == (["dataset:db:clean"], [])


def test_a_schema_that_comes_late_changes_nothing() -> None:
    world = LiveWorld()
    world.feed(START, run("RUNNING", "load", 5, outputs=[dataset("clean", schema("id", "name"))]))
    assert says_nothing_new(world.told_of(run("OTHER", "load", 2, outputs=[dataset("clean", schema("id"))])))


def test_what_a_reader_says_of_a_schema_counts_only_where_no_writer_spoke() -> None:
    world = LiveWorld()
    world.feed(START)
    read = run("START", "report", 2, "run-2", inputs=[dataset("clean", schema("id"))])
    assert world.told_of(read).schemas == ["dataset:db:clean"]
    world.feed(run("RUNNING", "load", 3, outputs=[dataset("clean", schema("id", "name"))]))
    read_less = run("RUNNING", "report", 4, "run-2", inputs=[dataset("clean", schema("name"))])
    assert world.told_of(read_less).schemas == []


def test_a_changed_facet_of_a_job_or_dataset_is_told() -> None:
    world = LiveWorld()
    world.feed(START)
    about = {"documentation": facet(description="the clean one")}
    told = world.told_of(run("RUNNING", "load", 2, outputs=[dataset("clean", about)], job_facets=about))
    assert set(told.changed) == {"job:jobs:load", "dataset:db:clean"}
    assert says_nothing_new(world.told_of(run("RUNNING", "load", 3, job_facets=about)))
    told = world.told_of(run("RUNNING", "load", 4, job_facets={"documentation": deleted()}))
    assert told.changed == ["job:jobs:load"]


def test_a_parent_that_becomes_known_changes_the_job() -> None:
    world = LiveWorld()
    world.feed(START)
    told = world.told_of(run("RUNNING", "load", 2, facets=parent("app", "run-0")))
    assert told.changed == ["job:jobs:load"]
    assert says_nothing_new(world.told_of(run("RUNNING", "load", 3, facets=parent("app", "run-0"))))


def test_new_column_lineage_is_told_and_so_is_one_that_comes_back() -> None:
    world = LiveWorld()
    world.feed(START)

    def columns_from(source: str, at: float) -> list[str]:
        output = dataset("clean", columns(x=[source]))
        return world.told_of(run("RUNNING", "load", at, inputs=["raw"], outputs=[output])).columns

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
    told = world.told_of(job_event("load", 2, {"lineage": facet(entries=[entry])}))
    assert (told.columns, told.changed) == (["dataset:db:clean"], ["job:jobs:load"])
    told = world.told_of(job_event("load", 3, {"lineage": deleted()}))
    assert (told.columns, told.changed) == (["dataset:db:clean"], ["job:jobs:load"])


# Names


def test_datasets_that_turn_out_to_be_one_are_told_as_one() -> None:
    world = LiveWorld()
    world.feed(START, run("START", "report", 1, "run-2", inputs=[("hive", "clean")]))
    told = world.told_of(run("RUNNING", "load", 2, outputs=[dataset("clean", symlinks(("hive", "clean")))]))
    assert told.removedNodes == ["dataset:hive:clean"]
    assert edges(told.removedEdges) == {"dataset:hive:clean → job:jobs:report"}
    assert edges(told.addedEdges) == {"dataset:db:clean → job:jobs:report"}
    assert told.addedNodes == []
    assert told.changed == ["dataset:db:clean"]

    apart = world.told_of(run("RUNNING", "load", 3, outputs=[dataset("clean", {"symlinks": deleted()})]))
    assert [n.nodeId for n in apart.addedNodes] == ["dataset:hive:clean"]
    assert edges(apart.removedEdges) == {"dataset:db:clean → job:jobs:report"}
    assert edges(apart.addedEdges) == {"dataset:hive:clean → job:jobs:report"}


def test_a_known_dataset_under_a_new_name_is_not_new() -> None:
    world = LiveWorld()
    world.feed(run("START", "load", 1, outputs=[dataset("clean", symlinks(("hive", "clean")))]))
    told = world.told_of(run("START", "report", 2, "run-2", inputs=[("hive", "clean")]))
    assert [n.nodeId for n in told.addedNodes] == ["job:jobs:report"]
    assert edges(told.addedEdges) == {"dataset:db:clean → job:jobs:report"}
    assert told.inputs == ["dataset:db:clean"]
    same_edge = world.told_of(run("RUNNING", "report", 3, "run-2", inputs=["clean"]))
    assert same_edge.addedEdges == []


def test_a_renamed_dataset_moves() -> None:
    world = LiveWorld()
    world.feed(START)
    told = world.told_of(dataset_event("better", 2, lifecycle("RENAME", previous="clean")))
    assert [n.nodeId for n in told.addedNodes] == ["dataset:db:better"]
    assert told.removedNodes == ["dataset:db:clean"]
    assert edges(told.removedEdges) == {"job:jobs:load → dataset:db:clean"}
    assert edges(told.addedEdges) == {"job:jobs:load → dataset:db:better"}


# A mistake of ours


def test_what_cannot_be_told_makes_subscribers_ask_again(monkeypatch: pytest.MonkeyPatch) -> None:
    world = LiveWorld()
    subscription = world.subscribe()
    with monkeypatch.context() as broken:
        broken.setattr(updates, "graph_update", lambda *_: 1 / 0)
        world.feed(START)
    assert [m.kind for m in read_all(subscription)] == ["resync"]
    world.feed(run("COMPLETE", "load", 2))
    assert [m.kind for m in read_all(subscription)] == ["change"]
