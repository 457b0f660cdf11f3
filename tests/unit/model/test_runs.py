"""What events say of runs."""

from headwater.openlineage.timestamps import parse
from tests.support.make import deleted, facet, parent, run, time
from tests.support.world import one_world


def test_state_follows_event_time_not_arrival() -> None:
    world = one_world([run("START", "load", 0), run("RUNNING", "load", 1), run("COMPLETE", "load", 2)])
    latest = world.run()
    assert (latest.state, latest.started_at, latest.ended_at) == ("COMPLETED", parse(time(0)), parse(time(2)))


def test_a_running_event_after_the_end_does_not_reopen_a_run() -> None:
    world = one_world([run("START", "load", 0), run("COMPLETE", "load", 2), run("RUNNING", "load", 3)])
    assert world.run().state == "COMPLETED"
    assert world.run().ended_at == parse(time(2))


def test_of_two_ends_the_later_counts() -> None:
    world = one_world([run("COMPLETE", "load", 2), run("FAIL", "load", 3)])
    assert world.run().state == "FAILED"


def test_at_the_same_moment_failure_beats_completion() -> None:
    world = one_world([run("FAIL", "load", 2), run("COMPLETE", "load", 2)])
    assert world.run().state == "FAILED"


def test_abort_ends_a_run() -> None:
    assert one_world([run("START", "load"), run("ABORT", "load", 1)]).run().state == "ABORTED"


def test_running_alone_is_a_running_run_that_began_with_its_first_sign() -> None:
    world = one_world([run("RUNNING", "load", 5), run("RUNNING", "load", 4)])
    assert (world.run().state, world.run().started_at) == ("RUNNING", parse(time(4)))


def test_each_running_event_leaves_the_start_where_it_was() -> None:
    world = one_world([run("START", "load", 0), *(run("RUNNING", "load", m) for m in (1, 2, 3))])
    assert world.run().started_at == parse(time(0))


def test_an_event_without_type_counts_as_other_and_starts_nothing() -> None:
    world = one_world([run(None, "load", 1, inputs=["raw"])])
    assert world.run().state == "NEW"
    assert world.all_edges() == {"raw → load()"}


def test_a_parent_that_was_never_seen_gets_no_state() -> None:
    world = one_world([run("COMPLETE", "app.step", 1, "child", facets=parent("app", "above"))])
    assert (world.run("above").state, world.run("above").started_at) == ("NEW", None)
    assert world.run("child").parent is not None
    assert world.job("app.step()")["parentJobName"] == "app"
    assert world.job("app.step()")["simpleName"] == "step"


def test_a_parent_seen_later_has_its_own_state() -> None:
    child = run("FAIL", "app.step", 1, "child", facets=parent("app", "above"))
    world = one_world([child, run("START", "app", 0, "above"), run("RUNNING", "app", 2, "above")])
    assert world.run("above").state == "RUNNING"
    assert world.run("child").state == "FAILED"


def test_the_root_run_is_stored_beside_the_parent() -> None:
    facets = parent("mid", "run-mid", root=("top", "run-top"))
    world = one_world([run("START", "mid.leaf", 1, "leaf", facets=facets)])
    leaf = world.run("leaf")
    assert (leaf.parent and leaf.parent[1], leaf.root and leaf.root[1]) == ("run-mid", "run-top")
    assert world.run("run-top").state == "NEW"


def test_a_run_is_not_its_own_parent() -> None:
    world = one_world([run("START", "load", 0, "same", facets=parent("load", "same"))])
    assert world.run("same").parent is None
    assert world.job("load()")["parentJobName"] is None


def test_a_parent_without_a_name_is_no_parent() -> None:
    facets = parent("", "", root=("", ""))
    world = one_world([run("START", "load", 0, "r", facets=facets)])
    assert (world.run("r").parent, world.run("r").root) == (None, None)
    assert set(world.state.jobs["jobs"]) == {"load"}


def test_nominal_time_is_stored() -> None:
    nominal = {"nominalTime": facet(nominalStartTime=time(-60), nominalEndTime=time(0))}
    world = one_world([run("START", "load", 1, facets=nominal), run("COMPLETE", "load", 2)])
    stored = world.run().nominal
    assert stored is not None
    assert stored[1:] == (parse(time(-60)), parse(time(0)))


def test_run_facets_of_all_events_of_a_run_add_up_and_the_later_wins() -> None:
    world = one_world(
        [
            run("START", "load", 0, facets={"a": facet(v=1), "b": facet(v=1)}),
            run(
                "COMPLETE",
                "load",
                1,
                facets={"b": facet(v=2), "errorMessage": facet(message="no", programmingLanguage="SQL")},
            ),
        ]
    )
    bodies = world.renderer.shown_facets(world.run().facets)
    assert set(bodies) == {"a", "b", "errorMessage"}
    assert b'"v":2' in bytes(bodies["b"])


def test_a_run_belongs_to_the_job_of_its_first_event() -> None:
    world = one_world([run("START", "load", 0), run("COMPLETE", "renamed", 1)])
    assert world.name(world.run().job) == "load()"


def test_the_latest_run_is_the_one_that_started_last() -> None:
    world = one_world(
        [
            run("START", "load", 0, "old"),
            run("START", "load", 10, "new"),
            run("ABORT", "load", 20, "old"),  # reported late, as watchers do
        ]
    )
    assert world.job("load()")["latestRun"]["id"] == "new"


def test_a_start_that_comes_late_can_make_another_run_the_latest() -> None:
    world = one_world(
        [
            run("COMPLETE", "load", 10, "long"),
            run("START", "load", 5, "short"),
            run("START", "load", 1, "long"),
        ]
    )
    assert world.job("load()")["latestRun"]["id"] == "short"


def test_a_deleted_run_facet_is_gone() -> None:
    world = one_world(
        [run("START", "load", 0, facets={"x": facet(v=1)}), run("RUNNING", "load", 1, facets={"x": deleted()})]
    )
    assert world.renderer.shown_facets(world.run().facets) == {}
