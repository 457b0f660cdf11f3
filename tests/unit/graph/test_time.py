"""The graph at a moment and over a window."""

from headwater.graph.slices import finish
from headwater.graph.traverse import UPSTREAM, paths
from headwater.graph.when import At, During
from headwater.ids import Micros
from headwater.openlineage.timestamps import parse
from tests.support.make import columns, dataset, run, time
from tests.support.world import World, one_world

DAY = 24 * 60


def moment(minutes: float) -> Micros:
    return parse(time(minutes))


def daily() -> World:
    """`load` reads `old` for five days, then `new` for five."""
    events = []
    for day in range(10):
        name = "old" if day < 5 else "new"
        out = dataset("out", columns(x=[f"{name}.x"]))
        events.append(run("COMPLETE", "load", day * DAY, f"r{day}", [name], [out]))
    return one_world(events)


def test_now_shows_all_that_was_ever_used() -> None:
    assert daily().nodes("out", UPSTREAM) == {"out", "load()", "old", "new"}


def test_before_the_first_event_there_is_nothing() -> None:
    assert daily().lineage("out", when=At(moment(-5))) == set()


def test_at_a_moment_only_what_was_in_use() -> None:
    world = daily()
    assert world.nodes("out", UPSTREAM, when=At(moment(2.5 * DAY))) == {"out", "load()", "old"}
    assert world.nodes("out", UPSTREAM, when=At(moment(8.5 * DAY))) == {"out", "load()", "new"}


def test_a_job_that_stopped_keeps_its_last_lineage() -> None:
    assert daily().nodes("out", UPSTREAM, when=At(moment(400 * DAY))) == {"out", "load()", "new"}


def test_columns_at_a_moment() -> None:
    world = daily()
    assert world.columns("out", when=At(moment(2 * DAY))) == {"old.x → out.x"}
    assert world.columns("out", when=At(moment(9 * DAY))) == {"new.x → out.x"}


def test_a_window_shows_all_that_was_used_in_it() -> None:
    world = daily()
    assert world.nodes("out", UPSTREAM, when=During(moment(0), moment(DAY))) == {"out", "load()", "old"}
    assert world.nodes("out", UPSTREAM, when=During(moment(3 * DAY), moment(6 * DAY))) == {
        "out",
        "load()",
        "old",
        "new",
    }
    assert world.nodes("out", UPSTREAM, when=During(moment(7 * DAY), None)) == {"out", "load()", "new"}
    assert world.lineage("out", when=During(None, moment(-1))) == set()


def test_weekly_runs_keep_their_lineage_in_between() -> None:
    weekly = [run("COMPLETE", "load", week * 7 * DAY, f"r{week}", ["raw"], ["out"]) for week in range(4)]
    world = one_world(weekly)
    assert world.nodes("out", UPSTREAM, when=At(moment(10 * DAY))) == {"out", "load()", "raw"}
    assert world.lineage("out", when=During(moment(8 * DAY), moment(9 * DAY))) == set()


def test_paths_between_two_nodes() -> None:
    world = one_world(
        [
            run("COMPLETE", "a", 0, "r1", ["src"], ["left", "right"]),
            run("COMPLETE", "b", 0, "r2", ["left"], ["end"]),
            run("COMPLETE", "c", 0, "r3", ["right"], ["end"]),
            run("COMPLETE", "d", 0, "r4", ["right"], ["elsewhere"]),
        ]
    )
    graph = finish(paths(world.state, world.node("src"), world.node("end")))
    assert {world.name(n) for n in graph.nodes} == {"src", "a()", "left", "right", "b()", "c()", "end"}
    assert len(graph.edges) == 7
    assert finish(paths(world.state, world.node("end"), world.node("src"))).nodes == {}
