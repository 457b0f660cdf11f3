"""Who is hit, how far away, and how."""

from collections import deque
from collections.abc import Iterator
from typing import Any

from hypothesis import given

from headwater.graph.around import Around
from headwater.graph.columns import Column, ColumnWalk, columns_of
from headwater.graph.flow import Flow
from headwater.graph.impact import DIRECT, INDIRECT, UNKNOWN, Impact, impact
from headwater.graph.slices import finish
from headwater.graph.when import Always, At, When
from headwater.ids import Node
from headwater.model.entities import Dataset, Job
from headwater.openlineage.event import stamp_time
from headwater.openlineage.timestamps import parse
from tests.support.examples import examples
from tests.support.make import columns, dataset, dataset_event, dataset_ref, deletion, facet, job_ref, run, time
from tests.support.strategies import events
from tests.support.world import EventOrEdit, World, close_all, one_world

few = examples(60)
USES = {DIRECT: "DIRECT", INDIRECT: "INDIRECT", UNKNOWN: "UNKNOWN"}


def impact_of(world: World, start: Node | Column, depth: int, limit: int, when: When | None = None) -> Impact:
    return finish(impact(world.state, Around(world.state, world.contents, when), start, depth, limit))


def of(world: World, name: str, depth: int = 20, limit: int = 1000, at: float | None = None) -> dict[str, Any]:
    """`{"load()": (1, "DIRECT"), …}`; `name` a job, a dataset or `dataset.column`."""
    hit = impact_of(world, start_of(world, name), depth, limit, None if at is None else moment(at))
    return {world.name(node): (distance, USES[hit.uses[node]]) for node, distance in hit.nodes.items()}


def start_of(world: World, name: str) -> Node | Column:
    table, dot, column = name.partition(".")
    return (world.node(table), column) if dot else world.node(name)


def moment(minutes: float) -> At:
    return At(parse(time(minutes)))


def columns_hit(world: World, name: str) -> dict[str, tuple[int, str]]:
    hit = impact_of(world, start_of(world, name), 20, 1000)
    return {
        f"{world.name(node)}.{column}": (distance, "DIRECT" if column in hit.direct[node] else "INDIRECT")
        for node, columns in hit.columns.items()
        for distance, names in columns
        for column in names
    }


def pipeline() -> World:
    """raw → clean (copies x, filters by f) → report (from x), audit (says nothing of columns)."""
    return one_world(
        [
            run("COMPLETE", "load", 0, "r1", ["raw"], [dataset("clean", columns(x=["raw.x"], indirect=["raw.f"]))]),
            run("COMPLETE", "sum", 1, "r2", ["clean"], [dataset("report", columns(total=["clean.x"]))]),
            run("COMPLETE", "copy", 1, "r3", ["clean"], ["audit"]),
            run("COMPLETE", "send", 2, "r4", ["report"], []),
        ]
    )


def test_everything_downstream_with_its_distance_in_jobs() -> None:
    assert {name: distance for name, (distance, _) in of(pipeline(), "raw").items()} == {
        "load()": 1,
        "clean": 1,
        "sum()": 2,
        "report": 2,
        "copy()": 2,
        "audit": 2,
        "send()": 3,
    }


def test_from_a_dataset_any_of_its_columns_counts() -> None:
    uses = of(pipeline(), "raw")
    assert {name for name, (_, use) in uses.items() if use == "DIRECT"} == {"load()", "clean", "sum()", "report"}
    assert {name for name, (_, use) in uses.items() if use == "UNKNOWN"} == {"copy()", "audit", "send()"}


def test_a_way_that_begins_with_a_filter_is_indirect_to_its_end() -> None:
    world = pipeline()
    assert of(world, "raw.f")["report"] == (2, "INDIRECT")
    assert of(world, "raw.x")["report"] == (2, "DIRECT")
    assert columns_hit(world, "raw.f") == {"clean.x": (1, "INDIRECT"), "report.total": (2, "INDIRECT")}


def test_who_says_nothing_of_columns_is_hit_by_each_of_them() -> None:
    assert of(pipeline(), "clean.x")["audit"] == (1, "UNKNOWN")
    assert of(pipeline(), "clean.other")["audit"] == (1, "UNKNOWN")


def test_who_names_other_columns_is_not_hit() -> None:
    uses = of(pipeline(), "clean.other")
    assert "report" not in uses
    assert "sum()" not in uses


def test_a_longer_way_may_be_direct_where_the_shorter_is_not() -> None:
    world = one_world(
        [
            run("COMPLETE", "filter", 0, "r1", ["a"], [dataset("d", columns(x=["other.x"], indirect=["a.x"]))]),
            run("COMPLETE", "one", 0, "r2", ["a"], [dataset("b", columns(x=["a.x"]))]),
            run("COMPLETE", "two", 0, "r3", ["b"], [dataset("d", columns(x=["b.x"]))]),
            run("COMPLETE", "three", 0, "r4", ["d"], [dataset("e", columns(x=["d.x"]))]),
        ]
    )
    assert of(world, "a.x")["d"] == (1, "DIRECT")
    assert of(world, "a.x")["e"] == (2, "DIRECT")
    assert of(world, "a", depth=1)["d"] == (1, "INDIRECT")


def test_from_a_job_what_it_writes_is_at_no_distance() -> None:
    uses = of(pipeline(), "load()")
    assert uses["clean"] == (0, "DIRECT")
    assert uses["report"] == (1, "DIRECT")
    assert uses["audit"] == (1, "UNKNOWN")


def test_in_a_circle_the_start_is_not_hit_by_itself() -> None:
    world = one_world([run("COMPLETE", "merge", 0, "r1", ["a", "b"], ["a"])])
    assert of(world, "a") == {"merge()": (1, "UNKNOWN")}
    assert set(of(world, "b")) == {"merge()", "a"}
    assert of(world, "merge()") == {"a": (0, "DIRECT")}


def test_column_lineage_without_transformations_passes_values_on() -> None:
    facets = {"columnLineage": facet(fields={"x": {"inputFields": [{"namespace": "db", "name": "a", "field": "x"}]}})}
    world = one_world([run("COMPLETE", "copy", 0, "r1", ["a"], [dataset("b", facets)])])
    assert of(world, "a.x")["b"] == (1, "DIRECT")


def test_lineage_without_a_job_counts_too() -> None:
    world = one_world([dataset_event("b", 0, columns(x=["a.x"]))])
    assert of(world, "a.x") == {"b": (1, "DIRECT")}


def test_the_limit_keeps_the_nearest() -> None:
    world = pipeline()
    hit = impact_of(world, world.node("raw"), 20, 2)
    assert hit.truncated
    assert {world.name(node) for node in hit.nodes} == {"load()", "clean"}
    assert not impact_of(world, world.node("raw"), 20, 7).truncated


def test_at_a_moment_only_what_was_there() -> None:
    assert set(of(pipeline(), "raw", at=0.5)) == {"load()", "clean"}


def test_what_was_deleted_is_not_hit_and_nothing_behind_it() -> None:
    events = [
        run("COMPLETE", "load", 0, "r1", ["raw"], [dataset("clean", columns(x=["raw.x"]))]),
        run("COMPLETE", "sum", 1, "r2", ["clean"], [dataset("report", columns(x=["clean.x"]))]),
        run("COMPLETE", "copy", 1, "r3", ["raw"], ["audit"]),
    ]
    world = one_world([*events, deletion(dataset_ref("clean"), job_ref("copy"), at=5)])
    for start in ("raw", "raw.x"):
        assert set(of(world, start)) == {"load()"}
        assert set(of(world, start, at=4)) == {"load()", "clean", "sum()", "report", "copy()", "audit"}


@few
@given(events)
def test_levels_equal_a_naive_search(events: list[EventOrEdit]) -> None:
    try:
        world = World(events)
        for start in starts(world):
            for depth in (1, 2, 100):
                hit = impact_of(world, start, depth, 10_000)
                assert hit.nodes == naive_levels(world, start, depth)
    finally:
        close_all()


def starts(world: World) -> list[Node]:
    state = world.state
    return [Node(n) for n in range(len(state.nodes)) if state.aliases.canonical(Node(n)) == n]


def naive_levels(world: World, start: Node, depth: int) -> dict[Node, int]:
    """Every step from every node, and the dataset that one comes from, nearest first."""
    state, canonical = world.state, world.state.aliases.canonical
    levels: dict[Node, int] = {}
    frontier: deque[tuple[Node, Node | None, int]] = deque([(start, None, 0)])
    done = set()
    while frontier:
        node, came_from, distance = frontier.popleft()
        if (node, came_from) in done or distance > depth:
            continue
        done.add((node, came_from))
        if node != start:
            levels.setdefault(node, distance)
        entity = state.nodes[node]
        if isinstance(entity, Dataset):
            outs = [e for m in state.aliases.members(node) for e in state.nodes[m].out if not state.is_gone(e)]
            edges = [e for e in outs if canonical(e.dst) != node]
        else:
            flow = Flow(state, entity, Always())
            from_dataset = came_from is not None and isinstance(state.nodes[came_from], Dataset)
            edges = flow.targets(came_from) if from_dataset and came_from is not None else flow.outputs
        for edge in edges:
            other = canonical(edge.dst)
            to_job = isinstance(state.nodes[other], Job)
            near = isinstance(entity, Job) and not to_job
            step = (other, node if to_job else None, distance if near else distance + 1)
            if near:
                frontier.appendleft(step)
            else:
                frontier.append(step)
    return levels


@few
@given(events)
def test_uses_equal_a_naive_search_over_columns(events: list[EventOrEdit]) -> None:
    try:
        world = World(events)
        state = world.state
        datasets = [node for node in starts(world) if isinstance(state.nodes[node], Dataset)]
        every = [link for node in datasets for link in links_reported(world, node)]
        for start in datasets:
            begin = set(finish(columns_of(state, world.contents, start)))
            surely = reach(begin, [(src, dst) for src, dst, direct in every if direct])
            perhaps = reach(begin, [(src, dst) for src, dst, _ in every])
            hit = impact_of(world, start, 100, 10_000)
            for node in hit.nodes:
                if isinstance(state.nodes[node], Dataset):
                    assert hit.uses[node] == use_of(node, surely, perhaps)
            assert named(hit, start) == {column for column in perhaps if column[0] in hit.nodes}
    finally:
        close_all()


def links_reported(world: World, dataset: Node) -> Iterator[tuple[Column, Column, bool]]:
    """From column to column as each facet says it, and whether it says that values are passed on."""
    state, canonical = world.state, world.state.aliases.canonical
    for edge, column_set in ColumnWalk(state, world.contents, None).sets(dataset):
        columns = world.contents.columns(state, column_set, edge.dst)
        whole = world.contents.field_names(state, dataset) if columns.whole else []
        for name in {*columns.fields, *whole}:
            for source in (*columns.fields.get(name, ()), *columns.whole):
                if state.deleted(source.dataset) < stamp_time(column_set.last):
                    kinds = [t.type for t in source.transformations]
                    direct = not kinds or "DIRECT" in kinds
                    yield (canonical(source.dataset), source.field), (dataset, name), direct


def reach(begin: set[Column], edges: list[tuple[Column, Column]]) -> set[Column]:
    reached: set[Column] = set()
    grown = True
    while grown:
        fresh = {dst for src, dst in edges if src in begin | reached} - reached
        reached |= fresh
        grown = bool(fresh)
    return reached


def use_of(node: Node, surely: set[Column], perhaps: set[Column]) -> int:
    if any(column[0] == node for column in surely):
        return DIRECT
    return INDIRECT if any(column[0] == node for column in perhaps) else UNKNOWN


def named(hit: Impact, start: Node) -> set[Column]:
    return {
        (node, name)
        for node, columns in hit.columns.items()
        if node in hit.nodes
        for _, names in columns
        for name in names
    }
