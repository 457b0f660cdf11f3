"""Any events, in any order, any number of times, over any number of restarts: the same outcome."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from headwater.ids import Node, Position
from headwater.ingest.folding import fold, settle_latest_runs
from headwater.interpret.known_facets import KnownFacets
from headwater.store.rows import take
from headwater.store.sqlite.tables import SqliteTables
from tests.support.examples import examples
from tests.support.strategies import events, run_events
from tests.support.world import EventOrEdit, World, close_all, record

# A real store is opened for each example, so few examples and no deadline.
few = examples(40)


@few
@given(events, st.randoms())
def test_order_and_repetition_do_not_matter(sent: list[EventOrEdit], random: Any) -> None:
    try:
        expected = World(sent).dump()
        shuffled = [*sent, *sent]
        random.shuffle(shuffled)
        assert World(shuffled).dump() == expected
    finally:
        close_all()


@few
@given(events, st.data())
def test_a_restart_at_any_point_changes_nothing(sent: list[EventOrEdit], data: Any) -> None:
    """Each append here reopens: the state comes from the tables, the rest from the log."""
    try:
        expected = World(sent).dump()
        cut = data.draw(st.integers(0, len(sent)))
        world = World(sent[:cut])
        world.append([record(event) for event in sent[cut:]])
        assert world.dump() == expected
        world.state = world.tables.load()
        assert world.dump() == expected
    finally:
        close_all()


@few
@given(st.lists(run_events, min_size=3, max_size=8))
def test_the_tables_have_all_of_what_is_not_marked_as_changed(sent: list[dict[str, Any]]) -> None:
    """So a question about such jobs and datasets need not wait for a write."""
    try:
        world = World([])
        state, tables = world.state, world.tables
        for number, event in enumerate(sent, 1):
            fold(state, tables, [(Position(number), record(event))], KnownFacets())
            settle_latest_runs(state, tables)
            unmarked = [entity.node for entity in state.nodes if entity.node not in state.dirty.nodes]
            before = _answers(tables, unmarked)
            tables.write(take(state), state.position)
            assert _answers(tables, unmarked) == before
    finally:
        close_all()


def _answers(tables: SqliteTables, nodes: list[Node]) -> list[Any]:
    return [
        (tables.runs_of_job(node, 100, 0), tables.versions([node], 100, 0), tables.current_versions([node], None))
        for node in nodes
    ]


@few
@given(events)
def test_a_job_counts_the_runs_that_have_events_of_their_own(sent: list[dict[str, Any]]) -> None:
    try:
        world = World(sent)
        for names in world.state.jobs.values():
            for node in names.values():
                runs = world.tables.runs_of_job(node, 100, 0)
                job = world.state.job_of(node)
                assert job.runs == sum(run.first is not None for run in runs)
                assert job.named == sum(run.first is None for run in runs)
    finally:
        close_all()
