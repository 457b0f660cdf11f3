"""What changed between two moments."""

from hypothesis import given
from hypothesis import strategies as st

from headwater.answers.diffs import schema_at
from headwater.graph.columns import ColumnWalk
from headwater.graph.diff import ColumnPair, Difference, diff
from headwater.graph.slices import finish
from headwater.graph.traverse import neighbourhood
from headwater.graph.when import At
from headwater.ids import ContentId, Micros, Node, Stamp
from headwater.model.entities import Dataset
from headwater.openlineage.timestamps import parse
from tests.support.examples import examples
from tests.support.make import columns, dataset, dataset_event, dataset_ref, deletion, job_ref, run, time
from tests.support.strategies import events
from tests.support.world import EventOrEdit, World, close_all, one_world

DAY = 24 * 60
few = examples(60)


def moment(minutes: float) -> Micros:
    return parse(time(minutes))


def daily() -> World:
    return one_world(daily_events())


def daily_events() -> list[EventOrEdit]:
    """`load` reads `old` for five days, then `new` for five."""
    events: list[EventOrEdit] = []
    for day in range(10):
        name = "old" if day < 5 else "new"
        out = dataset("out", columns(x=[f"{name}.x"]))
        events.append(run("COMPLETE", "load", day * DAY, f"r{day}", [name], [out]))
    return events


def between(world: World, before: float, after: float, around: str | None = None) -> dict[str, set[str]]:
    start = None if around is None else world.node(around)
    changes = finish(diff(world.state, world.contents, moment(before), moment(after), start))
    name = world.name
    return {
        "+": {name(n) for n in changes.nodes_added} | {f"{name(a)} → {name(b)}" for a, b in changes.edges_added},
        "-": {name(n) for n in changes.nodes_removed} | {f"{name(a)} → {name(b)}" for a, b in changes.edges_removed},
        "+columns": {f"{name(a[0])}.{a[1]} → {name(b[0])}.{b[1]}" for a, b in changes.columns_added},
        "-columns": {f"{name(a[0])}.{a[1]} → {name(b[0])}.{b[1]}" for a, b in changes.columns_removed},
    }


def test_an_input_that_gave_way_to_another() -> None:
    for around in ("out", None):
        assert between(daily(), 2 * DAY, 9 * DAY, around) == {
            "+": {"new", "new → load()"},
            "-": {"old", "old → load()"},
            "+columns": {"new.x → out.x"},
            "-columns": {"old.x → out.x"},
        }


def test_what_was_left_behind_is_removed_even_if_it_was_not_seen_since() -> None:
    assert between(daily(), 4.5 * DAY, 9 * DAY)["-"] == {"old", "old → load()"}


def test_between_two_runs_nothing_changes() -> None:
    assert not any(between(daily(), 1.2 * DAY, 1.8 * DAY).values())
    assert not any(between(daily(), 20 * DAY, 200 * DAY, "out").values())


def test_before_its_first_event_a_node_is_not_there() -> None:
    for around in ("out", None):
        assert between(daily(), -1, 0, around)["+"] == {"old", "load()", "out", "old → load()", "load() → out"}


def test_a_dataset_that_was_only_reported_is_there_from_then_on() -> None:
    world = one_world([dataset_event("lonely", 10)])
    assert between(world, 5, 15) == {"+": {"lonely"}, "-": set(), "+columns": set(), "-columns": set()}
    assert between(world, 15, 20, "lonely")["+"] == set()


def test_what_was_deleted_is_removed_with_its_lineage() -> None:
    for around in ("out", None):
        world = one_world([*daily_events(), deletion(dataset_ref("new"), at=20 * DAY)])
        assert between(world, 15 * DAY, 30 * DAY, around) == {
            "+": set(),
            "-": {"new", "new → load()"},
            "+columns": set(),
            "-columns": {"new.x → out.x"},
        }
        assert not any(between(world, 21 * DAY, 30 * DAY, around).values())


def test_a_deleted_job_leaves_its_datasets_behind_alone() -> None:
    world = one_world([*daily_events(), deletion(job_ref("load"), at=20 * DAY)])
    assert between(world, 15 * DAY, 30 * DAY)["-"] == {"load()", "new → load()", "load() → out"}
    assert between(world, 15 * DAY, 30 * DAY)["-columns"] == {"new.x → out.x"}


def test_what_is_back_is_added_without_the_lineage_of_before() -> None:
    back = run("COMPLETE", "load", 25 * DAY, "again", [], ["out"])
    world = one_world([*daily_events(), deletion(job_ref("load"), at=20 * DAY), back])
    assert between(world, 22 * DAY, 30 * DAY) == {
        "+": {"load()", "load() → out"},
        "-": set(),
        "+columns": set(),
        "-columns": set(),
    }
    assert between(world, 15 * DAY, 30 * DAY)["-"] == {"new → load()"}


def test_columns_are_not_looked_for_beyond_the_limit() -> None:
    facets = columns(**{f"c{n}": ["a.x"] for n in range(50)})
    world = World([run("COMPLETE", f"j{n}", n, f"r{n}", ["a"], [dataset(f"d{n}", facets)]) for n in range(10)])
    changes = finish(diff(world.state, world.contents, moment(-1), moment(100), limit=60))
    assert 60 < len(changes.columns_added) <= 60 + 50


moments = st.integers(-1, 14).map(lambda n: moment(n * 700 - 350))


@few
@given(events, moments, moments)
def test_the_way_back_is_the_inverse(events: list[EventOrEdit], one: Micros, other: Micros) -> None:
    try:
        world = World(events)
        for start in [None, *(Node(n) for n in range(len(world.state.nodes)))]:
            there = finish(diff(world.state, world.contents, one, other, start))
            back = finish(diff(world.state, world.contents, other, one, start))
            assert there == inverse(back)
            if one == other:
                assert there == Difference(stayed=there.stayed)
    finally:
        close_all()


def inverse(back: Difference) -> Difference:
    return Difference(
        back.nodes_removed,
        back.nodes_added,
        back.edges_removed,
        back.edges_added,
        back.columns_removed,
        back.columns_added,
        back.stayed,
    )


@few
@given(events, moments, moments)
def test_around_a_node_it_is_the_difference_of_two_graphs(events: list[EventOrEdit], one: Micros, two: Micros) -> None:
    try:
        world = World(events)
        for number in range(len(world.state.nodes)):
            start = world.state.aliases.canonical(Node(number))
            was, now = (set(finish(neighbourhood(world.state, start, 20, when=At(at))).edges) for at in (one, two))
            changes = finish(diff(world.state, world.contents, one, two, start))
            assert (changes.edges_added, changes.edges_removed) == (now - was, was - now)
    finally:
        close_all()


@few
@given(events, moments, moments)
def test_of_everything_the_edges_are_those_alive_at_one_moment_only(
    events: list[EventOrEdit], one: Micros, two: Micros
) -> None:
    try:
        world = World(events)
        state, canonical = world.state, world.state.aliases.canonical
        whens = At(one), At(two)
        was, now = (
            {(canonical(e.src), canonical(e.dst)) for e in state.edges.values() if when.alive(state, e)}
            for when in whens
        )
        changes = finish(diff(state, world.contents, one, two))
        assert changes.edges_added == {pair for pair in now - was if pair[0] != pair[1]}
        assert changes.edges_removed == {pair for pair in was - now if pair[0] != pair[1]}
    finally:
        close_all()


@few
@given(events, moments, moments)
def test_of_everything_nodes_and_columns_are_those_there_at_one_moment_only(
    events: list[EventOrEdit], one: Micros, two: Micros
) -> None:
    try:
        world = World(events)
        was, now = everything(world, one), everything(world, two)
        changes = finish(diff(world.state, world.contents, one, two))
        assert changes.nodes_added == now.keys() - was.keys()
        assert changes.nodes_removed == was.keys() - now.keys()
        pairs_was, pairs_now = set().union(*was.values()), set().union(*now.values())
        assert changes.columns_added == pairs_now - pairs_was
        assert changes.columns_removed == pairs_was - pairs_now
    finally:
        close_all()


def everything(world: World, at: Micros) -> dict[Node, set[ColumnPair]]:
    """All nodes that are there at a moment, and the edges between columns that lead to each."""
    state, canonical, when = world.state, world.state.aliases.canonical, At(at)
    walk = ColumnWalk(state, world.contents, when)
    nodes: dict[Node, set[ColumnPair]] = {}
    for node in map(Node, range(len(state.nodes))):
        if canonical(node) != node or when.hides(state, node):
            continue
        names = [state.nodes[member] for member in state.aliases.members(node)]
        edges = [e for name in names for e in (*name.into, *name.out) if canonical(e.src) != canonical(e.dst)]
        ever = [edge for edge in edges if when.last_seen(state, edge) is not None]
        known = any(name.first is not None and name.first <= at for name in names)
        if known and (not ever or any(when.alive(state, edge) for edge in ever)):
            links = walk.links(node).values() if isinstance(state.nodes[node], Dataset) else ()
            nodes[node] = {(e.src, e.dst) for some in links for e in some if e.src != e.dst}
    return nodes


def schema_register(name: str, first: float, last: float, content: int) -> tuple[str, tuple[Stamp, Stamp, ContentId]]:
    return name, (Stamp(moment(first) * 8), Stamp(moment(last) * 8), ContentId(content))


def test_the_schema_at_a_moment_is_the_last_one_reported_by_then() -> None:
    history = [
        schema_register("schema", 0, 10, 1),
        schema_register("schema", 20, 30, 2),
        schema_register("schema@reader", 0, 100, 3),
    ]
    registers = [schema_at(history, moment(at)) for at in (-1, 5, 15, 25, 99)]
    assert [register and register[2] for register in registers] == [None, 1, 1, 2, 2]


def test_where_no_writer_reported_a_schema_readers_do() -> None:
    history = [
        schema_register("schema@reader", 0, 100, 3),
        schema_register("schema", 50, 60, 1),
        schema_register("schema", 70, 80, 0),
    ]
    registers = [schema_at(history, moment(at)) for at in (10, 55, 75)]
    assert [register and register[2] for register in registers] == [3, 1, 3]
