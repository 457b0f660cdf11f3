"""Which edges events make, and which survive."""

from headwater.graph.traverse import DOWNSTREAM, UPSTREAM
from tests.support.make import columns, dataset, dataset_event, deleted, facet, job_event, run
from tests.support.world import one_world


def test_running_gives_a_graph_at_once() -> None:
    world = one_world([run("RUNNING", "load", inputs=["raw"], outputs=["clean"])])
    assert world.all_edges() == {"raw → load()", "load() → clean"}


def test_start_and_terminal_events_without_datasets_keep_the_lineage() -> None:
    world = one_world(
        [
            run("COMPLETE", "load", 1, "first", ["raw"], ["clean"]),
            run("START", "load", 2, "second"),
            run("COMPLETE", "load", 3, "second"),
        ]
    )
    assert world.all_edges() == {"raw → load()", "load() → clean"}


def test_inputs_and_outputs_of_different_runs_all_stay_with_the_runs_that_used_them() -> None:
    world = one_world(
        [
            run("COMPLETE", "load", 1, "monday", ["raw_mon"], ["clean"]),
            run("COMPLETE", "load", 2, "tuesday", ["raw_tue"], ["clean"]),
        ]
    )
    assert world.all_edges() == {"raw_mon → load()", "raw_tue → load()", "load() → clean"}
    assert world.tables.runs_using([world.node("raw_mon")], False, 10) == [world.run("monday").row]
    assert set(world.tables.runs_using([world.node("clean")], True, 10)) == {
        world.run("monday").row,
        world.run("tuesday").row,
    }


def test_a_job_event_declares_lineage_without_a_run() -> None:
    world = one_world([job_event("load", inputs=["raw"], outputs=["clean"])])
    assert world.all_edges() == {"raw → load()", "load() → clean"}


def test_column_lineage_names_inputs_that_the_event_does_not_list() -> None:
    world = one_world([run("COMPLETE", "load", outputs=[dataset("clean", columns(id=["raw.id"]))])])
    assert world.all_edges() == {"raw → load()", "load() → clean"}


def test_column_lineage_keeps_apart_what_two_outputs_are_made_of() -> None:
    event = run(
        "COMPLETE",
        "split",
        inputs=["a", "b", "lookup"],
        outputs=[dataset("a2", columns(x=["a.x"])), dataset("b2", columns(x=["b.x"]))],
    )
    world = one_world([event])
    # Nothing explains `lookup`, so it may have gone into both.
    assert world.nodes("a2", UPSTREAM) == {"a2", "split()", "a", "lookup"}
    assert world.nodes("b", DOWNSTREAM) == {"b", "split()", "b2"}
    assert world.nodes("lookup", DOWNSTREAM) == {"lookup", "split()", "a2", "b2"}


def test_an_output_without_column_lineage_still_has_every_input() -> None:
    event = run("COMPLETE", "split", inputs=["a", "b"], outputs=[dataset("a2", columns(x=["a.x"])), "log"])
    world = one_world([event])
    assert world.nodes("log", UPSTREAM) == {"log", "split()", "a", "b"}


def entry(name: str, *inputs: dict[str, object], kind: str = "DATASET", **more: object) -> dict[str, object]:
    return {
        "namespace": "db" if kind == "DATASET" else "jobs",
        "name": name,
        "type": kind,
        "inputs": list(inputs),
        **more,
    }


def source(name: str, kind: str = "DATASET", **more: object) -> dict[str, object]:
    return {"namespace": "db" if kind == "DATASET" else "jobs", "name": name, "type": kind, **more}


def test_the_jobs_lineage_facet_overrides_inputs_times_outputs() -> None:
    lineage = {"lineage": facet(entries=[entry("x2", source("x")), entry("y2", source("y"))])}
    world = one_world([run("COMPLETE", "both", inputs=["x", "y"], outputs=["x2", "y2"], job_facets=lineage)])
    assert world.nodes("x2", UPSTREAM) == {"x2", "both()", "x"}
    assert world.nodes("y", DOWNSTREAM) == {"y", "both()", "y2"}
    assert world.all_edges() == {"x → both()", "y → both()", "both() → x2", "both() → y2"}


def test_the_lineage_facet_holds_for_later_events_without_it_until_it_is_deleted() -> None:
    lineage = {"lineage": facet(entries=[entry("x2", source("x")), entry("y2", source("y"))])}
    reported = run("START", "both", 0, inputs=["x", "y"], outputs=["x2", "y2"], job_facets=lineage)
    plain = run("COMPLETE", "both", 1, inputs=["x", "y"], outputs=["x2", "y2"])
    gone = run("START", "both", 2, "second", job_facets={"lineage": deleted()})
    assert one_world([reported, plain]).nodes("x2", UPSTREAM) == {"x2", "both()", "x"}
    assert one_world([reported, plain, gone]).nodes("x2", UPSTREAM) == {"x2", "both()", "x", "y"}


def test_the_lineage_facet_beats_column_lineage() -> None:
    lineage = {
        "lineage": facet(entries=[entry("out", source("b"), fields={"v": {"inputs": [source("b", field="v")]}})])
    }
    event = run(
        "COMPLETE",
        "mix",
        inputs=["a", "b"],
        outputs=[dataset("out", columns(v=["a.v"]))],
        job_facets=lineage,
    )
    world = one_world([event])
    assert world.nodes("out", UPSTREAM) == {"out", "mix()", "b"}
    assert world.columns("out") == {"b.v → out.v"}


def test_a_generator_has_no_upstream() -> None:
    lineage = {"lineage": facet(entries=[entry("made", fields={"n": {"inputs": [{"type": "JOB"}]}})])}
    world = one_world([run("COMPLETE", "gen", inputs=["config"], outputs=["made"], job_facets=lineage)])
    assert world.nodes("made", UPSTREAM) == {"made", "gen()"}
    assert world.columns("made") == set()


def test_a_dataset_may_feed_the_events_own_job_alone() -> None:
    lineage = {"lineage": facet(entries=[{"type": "JOB", "inputs": [source("checked")]}])}
    world = one_world([run("COMPLETE", "validate", job_facets=lineage)])
    assert world.all_edges() == {"checked → validate()"}


def test_jobs_can_feed_jobs_and_datasets_of_others() -> None:
    lineage = {
        "lineage": facet(
            entries=[
                entry("second", source("first", "JOB"), kind="JOB"),
                entry("report", source("extract", "JOB")),
            ]
        )
    }
    world = one_world([run("COMPLETE", "orchestrator", job_facets=lineage)])
    assert world.all_edges() == {"first() → second()", "extract() → report"}
    assert world.nodes("second()", UPSTREAM) == {"second()", "first()"}


def test_the_datasets_lineage_facet_limits_what_a_job_feeds_into_it() -> None:
    reported = dataset("x2", {"lineage": facet(inputs=[source("x")])})
    world = one_world([run("COMPLETE", "both", inputs=["x", "y"], outputs=[reported, "y2"])])
    assert world.nodes("x2", UPSTREAM) == {"x2", "both()", "x"}
    assert world.nodes("y2", UPSTREAM) == {"y2", "both()", "x", "y"}


def test_a_dataset_event_links_datasets_without_a_job() -> None:
    lineage = facet(inputs=[source("customers")], fields={"id": {"inputs": [source("customers", field="cid")]}})
    world = one_world([dataset_event("view", facets={"lineage": lineage})])
    assert world.all_edges() == {"customers → view"}
    assert world.columns("view") == {"customers.cid → view.id"}
    assert world.nodes("customers", DOWNSTREAM) == {"customers", "view"}


def test_connected_takes_siblings_in_and_depth_limits_it() -> None:
    world = one_world(
        [
            run("COMPLETE", "a", 0, "r1", ["raw"], ["mid"]),
            run("COMPLETE", "b", 0, "r2", ["mid"], ["out1"]),
            run("COMPLETE", "c", 0, "r3", ["mid"], ["out2"]),
        ]
    )
    assert world.nodes("out1", "connected") == {"raw", "a()", "mid", "b()", "out1", "c()", "out2"}
    assert world.nodes("out1", "connected", depth=0) == {"out1", "b()", "mid"}
    assert world.nodes("out1", UPSTREAM, depth=1) == {"out1", "b()", "mid"}
    assert world.nodes("raw", DOWNSTREAM, depth=0) == {"raw"}


def test_cycles_end() -> None:
    world = one_world([run("COMPLETE", "merge", inputs=["t"], outputs=["t"])])
    assert world.nodes("t", UPSTREAM) == {"t", "merge()"}
    assert world.nodes("t", "connected") == {"t", "merge()"}
