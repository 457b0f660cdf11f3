"""What is deleted appears nowhere, comes back when it is seen again, and was there before."""

from typing import Any

from hypothesis import given

from headwater.answers.listing import Listing
from headwater.graph.slices import finish
from headwater.graph.traverse import neighbourhood
from headwater.graph.when import Always, At, During
from headwater.ids import Node
from headwater.model.entities import Dataset, Job
from tests.support import make
from tests.support.examples import examples
from tests.support.make import columns, dataset, dataset_ref, deletion, job_ref, run
from tests.support.strategies import events
from tests.support.world import EventOrEdit, World, close_all, one_world

CHAIN = [
    run("COMPLETE", "load", 0, "r1", ["raw"], [dataset("clean", {**make.schema("x"), **columns(x=["raw.x"])})]),
    run("COMPLETE", "sum", 1, "r2", ["clean"], [dataset("sums", {**make.schema("x"), **columns(x=["clean.x"])})]),
]


def hidden(world: World) -> set[str]:
    return {world.name(Node(n)) for n in range(len(world.state.nodes)) if world.state.is_hidden(Node(n))}


def test_a_deleted_dataset_leaves_the_graph_and_the_jobs_around_it() -> None:
    world = one_world([*CHAIN, deletion(dataset_ref("clean"), at=5)])
    assert hidden(world) == {"clean"}
    assert world.lineage("raw") == {"raw → load()"}
    assert world.lineage("sums") == {"sum() → sums"}
    assert world.job("load()")["outputs"] == []
    assert world.job("sum()")["inputs"] == []
    assert world.columns("sums") == set()
    assert world.columns("raw", down=True) == set()


def test_a_deleted_job_leaves_its_datasets_without_lineage() -> None:
    world = one_world([*CHAIN, deletion(job_ref("sum"), at=5)])
    assert hidden(world) == {"sum()"}
    assert world.lineage("raw") == {"raw → load()", "load() → clean"}
    assert world.lineage("sums") == set()
    assert world.columns("sums") == set()
    assert [job.name for job in Listing(world.renderer).jobs(None, 10, 0)[0]] == ["load"]


def test_before_the_deletion_everything_was_there() -> None:
    world = one_world([*CHAIN, deletion(dataset_ref("clean"), at=5)])
    whole = {"raw → load()", "load() → clean", "clean → sum()", "sum() → sums"}
    assert world.lineage("raw", when=At(make.micros(4))) == whole
    assert world.columns("sums", when=At(make.micros(4))) == {"clean.x → sums.x", "raw.x → clean.x"}
    assert not At(make.micros(4)).hides(world.state, world.node("clean"))
    assert world.lineage("raw", when=During(None, make.micros(4))) == whole
    for after in (At(make.micros(5)), During(None, make.micros(6)), During(None, None)):
        assert world.lineage("raw", when=after) == {"raw → load()"}
        assert after.hides(world.state, world.node("clean"))


def test_what_is_seen_again_is_back_without_the_lineage_of_before() -> None:
    back = run("COMPLETE", "load", 9, "r3", ["raw"], ["clean"])
    world = one_world([*CHAIN, deletion(dataset_ref("clean"), at=5), back])
    assert hidden(world) == set()
    assert world.lineage("raw") == {"raw → load()", "load() → clean"}
    assert world.columns("clean") == set()
    assert world.job("sum()")["inputs"] == []


def test_between_two_deletions_it_was_there() -> None:
    weeks = 60 * 24 * 7
    world = one_world(
        [
            run("COMPLETE", "load", 0, "r1", ["raw"], ["clean"]),
            deletion(job_ref("load"), at=5),
            run("COMPLETE", "load", weeks, "r2", ["raw"], ["clean"]),
            deletion(job_ref("load"), at=weeks + 5),
        ]
    )
    shown = {"raw → load()", "load() → clean"}
    for minutes, expected in ((4, shown), (6, set()), (weeks + 1, shown), (weeks + 6, set())):
        assert world.lineage("raw", when=At(make.micros(minutes))) == expected
    assert world.lineage("raw") == set()


def test_a_late_event_with_an_early_time_stays_hidden() -> None:
    world = one_world(
        [deletion(job_ref("load"), dataset_ref("raw"), at=5), run("COMPLETE", "load", 4, "r1", ["raw"], ["clean"])]
    )
    assert hidden(world) == {"load()", "raw"}
    assert world.lineage("clean") == set()


def test_a_namespace_takes_along_what_is_in_it_even_if_it_is_reported_later() -> None:
    late = run("COMPLETE", "later", 3, "r9", ["clean"], ["more"])
    after = run("COMPLETE", "after", 9, "r10", ["fresh"])
    world = one_world([*CHAIN, deletion(("namespace", "db", ""), at=5), late, after])
    assert hidden(world) == {"raw", "clean", "sums", "more"}
    assert not world.state.is_namespace_hidden("db")
    assert world.lineage("load()") == set()
    assert world.lineage("fresh") == {"fresh → after()"}
    again = one_world([*CHAIN, deletion(("namespace", "db", ""), at=5)])
    assert again.state.is_namespace_hidden("db")


def test_an_alias_that_is_still_seen_keeps_the_dataset() -> None:
    sent = [
        run("COMPLETE", "load", 0, "r1", outputs=[dataset("a", make.symlinks(("db", "b")))]),
        deletion(dataset_ref("a"), dataset_ref("b"), at=5),
    ]
    assert {"a", "b"} <= hidden(one_world(sent))
    assert hidden(one_world([*sent, run("COMPLETE", "use", 9, "r2", ["b"])])) == set()


def test_column_lineage_that_a_job_declared_before_its_deletion_is_gone_with_it() -> None:
    entry = {
        "type": "DATASET",
        "namespace": "db",
        "name": "out",
        "inputs": [{"type": "DATASET", "namespace": "db", "name": "one"}],
    }
    first = run("COMPLETE", "j", 0, "r1", ["one", "two"], ["out"], job_facets={"lineage": make.facet(entries=[entry])})
    again = run("COMPLETE", "j", 9, "r2", ["one", "two"], ["out"])
    assert one_world([first, again]).lineage("out", "upstream") == {"one → j()", "j() → out"}
    world = one_world([first, deletion(job_ref("j"), at=5), again])
    assert world.lineage("out", "upstream") == {"one → j()", "two → j()", "j() → out"}


@examples(40)
@given(events)
def test_nothing_hidden_is_shown_anywhere(sent: list[EventOrEdit]) -> None:
    try:
        world = World(sent)
        state = world.state
        gone = {node for node in map(Node, range(len(state.nodes))) if state.is_hidden(node)}
        listing = Listing(world.renderer)
        assert not gone & {job.node for job in listing.jobs(None, 100, 0)[0]}
        for namespace in state.datasets:
            assert not gone & set(listing.datasets(namespace, 100, 0)[0])
        hidden_names = {(d.namespace, d.name) for d in map(state.nodes.__getitem__, gone) if isinstance(d, Dataset)}
        for number, entity in enumerate(state.nodes):
            node = Node(number)
            if node not in gone and state.aliases.canonical(node) == node:
                assert not gone & finish(neighbourhood(state, node, 20, when=Always())).nodes.keys()
            if isinstance(entity, Job) and node not in gone:
                shown: Any = world.renderer.jobs.job(node)
                assert not hidden_names & {(n.namespace, n.name) for n in (*shown.inputs, *shown.outputs)}
    finally:
        close_all()
