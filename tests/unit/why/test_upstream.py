"""What is looked at: by tables, by columns, at a moment, and how much of it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.graph.slices import finish
from headwater.graph.traverse import UPSTREAM, neighbourhood
from headwater.graph.when import At
from headwater.ids import Micros, Node
from headwater.model.entities import Job
from headwater.openlineage.timestamps import parse
from headwater.shapes.why import SuspectKind
from headwater.why import upstream
from headwater.why.order import EXPLAINS, WEIGHTS, Finding, base, in_order
from headwater.why.pace import DAY
from headwater.why.upstream import Scope, Upstream
from tests.support.examples import examples
from tests.support.make import (
    columns,
    dataset,
    dataset_ref,
    deletion,
    facet,
    job_ref,
    micros,
    parent,
    run,
    symlinks,
    time,
)
from tests.support.strategies import events
from tests.support.whodunit import why
from tests.support.world import EventOrEdit, World, close_all

Json = dict[str, Any]


def looked_at(world: World, name: str, **options: Any) -> set[str]:
    scope: Scope = why(world, name, time(100), **options).scope
    return {f"{job.name}()" for job in scope.jobs.values()} | {d.name for d in scope.datasets.values()}


def chain(length: int) -> list[Json]:
    """`d0 → j1 → d1 → j2 → …`"""
    return [run("COMPLETE", f"j{n}", 0, f"r{n}", [f"d{n - 1}"], [f"d{n}"]) for n in range(1, length + 1)]


def test_all_jobs_and_datasets_upstream_are_looked_at() -> None:
    assert looked_at(World(chain(3)), "d2") == {"d2", "j2()", "d1", "j1()", "d0"}


def test_depth_counts_jobs() -> None:
    assert looked_at(World(chain(5)), "d5", depth=2) == {"d5", "j5()", "d4", "j4()", "d3"}


def test_a_column_leaves_out_what_does_not_feed_it() -> None:
    world = World(
        [
            run("COMPLETE", "left", 0, "r1", ["a"], [dataset("l", columns(x=["a.x"]))]),
            run("COMPLETE", "right", 0, "r2", ["b"], [dataset("r", columns(y=["b.y"]))]),
            run("COMPLETE", "join", 0, "r3", ["l", "r"], [dataset("out", columns(x=["l.x"], y=["r.y"]))]),
        ]
    )
    assert looked_at(world, "out.x") == {"out", "join()", "l", "left()", "a"}
    assert looked_at(world, "out") == {"out", "join()", "l", "left()", "a", "r", "right()", "b"}


def test_where_a_job_says_nothing_of_its_columns_all_its_inputs_count() -> None:
    world = World(
        [
            run("COMPLETE", "load", 0, "r1", ["a", "b"], ["mid"]),
            run("COMPLETE", "sum", 0, "r2", ["mid"], [dataset("out", columns(x=["mid.x"]))]),
        ]
    )
    assert looked_at(world, "out.x") == {"out", "sum()", "mid", "load()", "a", "b"}


def test_where_a_job_says_nothing_of_one_column_all_its_inputs_count() -> None:
    counted = {**columns(x=["mid.x"]), "schema": facet(fields=[{"name": "x"}, {"name": "count"}])}
    world = World([run("COMPLETE", "sum", 0, "r2", ["mid", "other"], [dataset("out", counted)])])
    assert looked_at(world, "out.count") == {"out", "sum()", "mid", "other"}
    assert looked_at(world, "out.x") == {"out", "sum()", "mid"}


def test_the_columns_that_matter_are_known_along_the_way() -> None:
    world = World(
        [
            run("COMPLETE", "a", 0, "r1", ["src"], [dataset("mid", columns(x=["src.x"], y=["src.y"]))]),
            run("COMPLETE", "b", 0, "r2", ["mid"], [dataset("out", columns(x=["mid.x"]))]),
        ]
    )
    by_dataset = {d.name: d.columns for d in why(world, "out.x", time(1)).scope.datasets.values()}
    assert by_dataset == {"out": {"x"}, "mid": {"x"}, "src": {"x"}}
    by_dataset = {d.name: d.columns for d in why(world, "out", time(1)).scope.datasets.values()}
    assert by_dataset == {"out": None, "mid": {"x"}, "src": {"x"}}


def test_a_dataset_is_looked_at_once_by_all_its_names() -> None:
    world = World(
        [
            run("COMPLETE", "write", 0, "r1", [], [dataset("real", symlinks(("hive", "t")))]),
            run("COMPLETE", "read", 0, "r2", [("hive", "t")], ["out"]),
        ]
    )
    scope = why(world, "out", time(1)).scope
    assert [len(d.names) for d in scope.datasets.values()] == [1, 2]
    assert {job.name for job in scope.jobs.values()} == {"write", "read"}


def test_circles_end() -> None:
    world = World([run("COMPLETE", "a", 0, "r1", ["x"], ["y"]), run("COMPLETE", "b", 0, "r2", ["y"], ["x"])])
    assert looked_at(world, "x") == {"x", "y", "a()", "b()"}


def test_jobs_that_are_named_as_sources_are_looked_at() -> None:
    fed = {"lineage": facet(inputs=[{"type": "JOB", "namespace": "jobs", "name": "first"}])}
    world = World(
        [
            run("COMPLETE", "first", 0, "r1", ["src"]),
            run("COMPLETE", "second", 0, "r2", [], [dataset("out", fed)]),
        ]
    )
    assert {"first()", "second()"} <= looked_at(world, "out")


def test_what_was_not_there_yet_is_not_looked_at() -> None:
    world = World([run("COMPLETE", "a", 0, "r1", ["x"], ["y"]), run("COMPLETE", "b", 500, "r2", ["z"], ["y"])])
    assert looked_at(world, "y") == {"y", "a()", "x"}


def test_only_the_nearest_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(chain(6))
    monkeypatch.setattr(upstream, "MOST_JOBS", 3)
    scope = why(world, "d6", time(1)).scope
    assert scope.truncated
    assert [job.name for job in scope.jobs.values()] == ["j6", "j5", "j4"]
    monkeypatch.setattr(upstream, "MOST_JOBS", 6)
    assert not why(world, "d6", time(1)).scope.truncated
    monkeypatch.setattr(upstream, "MOST_DATASETS", 4)
    scope = why(world, "d6", time(1)).scope
    assert scope.truncated
    assert len(scope.datasets) == 4


def test_what_was_deleted_is_not_looked_at_and_before_its_deletion_it_was() -> None:
    events = [
        run("COMPLETE", "a", 0, "r1", ["x"], ["y"], facets=parent("app", "app 1")),
        run("COMPLETE", "b", 1, "r2", ["z"], ["y"]),
    ]
    world = World([*events, deletion(job_ref("b"), dataset_ref("x"), job_ref("app"), at=50)])
    assert looked_at(world, "y") == {"y", "a()"}
    scope = why(world, "y", time(100)).scope
    assert scope.parents == {}
    assert [set(d.written) for d in scope.datasets.values()] == [{world.node("a()")}]
    scope = why(world, "y", time(40)).scope
    assert {d.name for d in scope.datasets.values()} == {"x", "y", "z"}
    assert {job.name for job in scope.parents.values()} == {"app"}


def test_of_a_run_that_read_what_was_deleted_since_the_rest_is_looked_at() -> None:
    world = World([run("COMPLETE", "a", 0, "r1", ["x", "w"], ["y"]), deletion(dataset_ref("x"), at=50)])
    assert looked_at(world, "run:r1") == {"a()", "w"}


moments = st.integers(-1, 14).map(lambda n: micros(n * 700 - 350))


@examples(40)
@given(events, moments)
def test_what_is_looked_at_is_what_lineage_shows_upstream(events: list[EventOrEdit], at: Micros) -> None:
    try:
        world = World(events)
        state, when = world.state, At(at)
        for node in map(Node, range(len(state.nodes))):
            if state.aliases.canonical(node) != node or when.hides(state, node):
                continue
            upstream = Upstream(state, world.contents, at, 100, world.renderer.jobs.job_type, strict=False)
            entity = state.nodes[node]
            if isinstance(entity, Job):
                upstream.from_job(entity)
            else:
                upstream.from_dataset(node, None)
            list(upstream.walk())
            scope = upstream.scope
            shown = scope.jobs.keys() | scope.datasets.keys()
            assert shown >= finish(neighbourhood(state, node, 100, UPSTREAM, when)).nodes.keys()
            nodes = shown | scope.parents.keys()
            nodes |= {job for d in scope.datasets.values() for job in d.written if job is not None}
            nodes |= {job for d in scope.datasets.values() for name in d.names for job in name.read}
            assert not [world.name(other) for other in nodes if when.hides(state, other)]
    finally:
        close_all()


# The order


def finding(kind: str, node: int, distance: int, at: float = 0, manner: str = "") -> Finding:
    return Finding(kind, node, f"n{node}", distance, parse(time(at)), manner)  # type: ignore[arg-type]


def test_every_weight_belongs_to_a_kind_that_can_be_found() -> None:
    kinds = {kind for kind, _ in WEIGHTS}
    assert set(EXPLAINS) <= kinds
    assert set().union(*EXPLAINS.values()) <= kinds
    assert all(0 < weight < 1 for weight in WEIGHTS.values())


def test_nearer_and_newer_is_more_suspicious() -> None:
    at = parse(time(0))
    near, far = (base(finding(SuspectKind.RUN_FAILED, 1, distance), at) for distance in (1, 2))
    assert near > far
    assert base(finding(SuspectKind.RUN_FAILED, 1, 1, at=-60), at) < near
    assert base(finding(SuspectKind.RUN_FAILED, 1, 0, at=-3 * DAY / 60e6), at) == pytest.approx(0.45)


def test_a_far_cause_comes_before_the_near_symptom_that_it_explains() -> None:
    world = World(chain(3))
    scope = why(world, "d3", time(1)).scope
    nodes = {job.name: job for job in scope.jobs.values()}
    near = Finding(SuspectKind.RUN_LATE, nodes["j3"].node, "j3", 1, scope.at)
    far = Finding(SuspectKind.RUN_FAILED, nodes["j1"].node, "j1", 3, scope.at)
    first, second = in_order([near, far], scope)
    assert (first.finding, second.finding) == (far, near)
    assert first.explains == [near]
    alone = in_order([near], scope)[0]
    assert second.suspicion < alone.suspicion <= first.suspicion


def test_what_came_later_explains_nothing_that_ended_before() -> None:
    scope = why(World(chain(2)), "d2", time(1)).scope
    nodes = {job.name: job.node for job in scope.jobs.values()}
    early = Finding(SuspectKind.RUN_FAILED, nodes["j2"], "j2", 1, parse(time(0)))
    late = Finding(SuspectKind.RUN_FAILED, nodes["j1"], "j1", 2, parse(time(0.5)))
    assert [ranked.explains for ranked in in_order([early, late], scope)] == [[], []]


def test_two_in_a_circle_may_explain_each_other() -> None:
    world = World([run("COMPLETE", "a", 0, "r1", ["x"], ["y"]), run("COMPLETE", "b", 0, "r2", ["y"], ["x"])])
    scope = why(world, "x", time(1)).scope
    both = [Finding(SuspectKind.RUN_LATE, job.node, job.name, job.distance, scope.at) for job in scope.jobs.values()]
    assert len(in_order(both, scope)) == 2
