"""The tables: the state as of a position, and the questions that memory cannot answer."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import headwater.demo
from headwater.ids import DELETED, Micros, Node, Position, RunId
from headwater.ingest.folding import Record, fold, settle_latest_runs
from headwater.interpret.known_facets import KnownFacets
from headwater.model.edits import Edit, NamespacePut, SourcePut, TagPut, edit
from headwater.model.entities import MAX_COLUMN_SETS, Run
from headwater.model.state import QUARTER, State
from headwater.openlineage import timestamps
from headwater.openlineage.event import Event, EventType, content_id, decode
from headwater.store.protocol import EventFilter, Read, Tables
from headwater.store.rows import run_from, take
from tests.contract.conftest import OpenTables
from tests.contract.dump import dump
from tests.support import make
from tests.support.make import dataset, facet, parent, run

Json = dict[str, Any]


@cache
def recorded() -> list[Event]:
    """Events of real Spark and Flink jobs."""
    files = sorted(Path(headwater.demo.__file__).parent.glob("*.jsonl"))
    assert files
    return [decode(line) for path in files for line in path.read_bytes().splitlines()]


def everything() -> list[Record]:
    """One of each thing that an event or an edit can report."""
    source = {"dataSource": facet(name="warehouse", uri="postgres://db")}
    entries = [
        {
            "type": "DATASET",
            "namespace": "db",
            "name": "sums",
            "inputs": [{"type": "DATASET", "namespace": "db", "name": "raw"}, {"type": "JOB", "name": "first"}],
            "fields": {"s": {"inputs": [{"type": "DATASET", "namespace": "db", "name": "raw", "field": "id"}]}},
        }
    ]
    fed = {"lineage": facet(inputs=[{"type": "DATASET", "namespace": "db", "name": "raw"}])}
    kafka = [dataset((f"kafka://{brokers}", "orders")) for brokers in ("a:1", "b:1", "b:1,a:1")]
    return [
        *_decoded(
            run("START", "load", 0, facets=make.parent("dag", "r0", root=("top", "r00"))),
            run("RUNNING", "load", 1, inputs=[dataset("raw", {**make.schema("id"), **source}), *kafka]),
            run(
                "COMPLETE",
                "load",
                2,
                outputs=[dataset("clean", {**make.schema("id", "x"), **make.columns(id=["raw.id"])})],
            ),
            run("START", "load", 3, "run-2", ["raw"], [dataset("clean", {"version": facet(datasetVersion="7")})]),
            run("FAIL", "load", 4, "run-2", facets={"errorMessage": facet(message="x")}),
            run(
                "START",
                "load",
                9_999,
                "run-3",
                ["raw"],
                ["clean"],
                {"nominalTime": facet(nominalStartTime=make.time(1))},
            ),
            run("COMPLETE", "sum", 5, "s", ["clean"], ["sums"], job_facets={"lineage": facet(entries=entries)}),
            make.job_event("load", 6, {"documentation": facet(description="old")}),
            make.job_event("load", 7, {"documentation": facet(description="new")}),
            make.dataset_event("clean", 8, {**make.schema("id", "y"), **make.symlinks(("hive", "clean"))}),
            make.dataset_event("late", 9, fed),
            make.dataset_event("moved", 10, make.lifecycle("RENAME", previous="late")),
            make.dataset_event("gone", 11, make.lifecycle("DROP")),
            make.dataset_event("gone", 12, {"documentation": make.deleted()}),
            make.dataset_event(("", "ünï 😀\0"), 13, {"é": facet(x=1)}),
            {**make.dataset_event("ancient"), "eventTime": "0002-01-01T00:00:00Z"},
        ),
        *_edits(),
    ]


def _edits() -> list[Edit]:
    at = make.micros(5)
    return [
        edit(NamespacePut(at=at, name="ünï 😀", owner="me", description="d")),
        edit(NamespacePut(at=at, name="db", owner="me")),
        edit(SourcePut(at=at, name="warehouse", kind="KAFKA", url="kafka://x")),
        edit(TagPut(at=at, name="pii", description="personal")),
        make.tagging(make.dataset_ref("clean"), "pii", 5, "id"),
        make.tagging(make.dataset_ref("clean"), "pii", 6, "id", on=False),
        make.tagging(make.job_ref("load"), "daily", 5),
        make.deletion(make.job_ref("sum"), make.dataset_ref("gone"), at=99_999),
        make.deletion(make.job_ref("sum"), make.dataset_ref("never seen"), at=5),
        make.deletion(("namespace", "hive", ""), at=5),
    ]


def _decoded(*events: Json) -> list[Event]:
    return [decode(make.encoded(event)) for event in events]


def folded(state: State, tables: Tables, events: Sequence[Record]) -> State:
    numbered = [(Position(state.position + n), event) for n, event in enumerate(events, 1)]
    fold(state, tables, numbered, KnownFacets())
    return state


def write(state: State, tables: Tables) -> None:
    """What the service does, all at once."""
    settle_latest_runs(state, tables)
    tables.write(take(state), state.position)


def written(tables: Tables, *events: Json) -> State:
    state = folded(State(), tables, _decoded(*events))
    write(state, tables)
    return state


def node_of(state: State, name: str) -> Node:
    entity = state.find_dataset("db", name) or state.find_job("jobs", name)
    assert entity is not None
    return entity.node


def answers(state: State, tables: Tables) -> dict[str, Any]:
    """All queries, for every node and run."""
    nodes = [entity.node for entity in state.nodes]
    runs = [run for node in nodes for run in tables.runs_of_job(node, 10_000, 0)]
    return {
        "position": tables.position(),
        "runs": runs,
        "histories": [tables.run_history(run.row) for run in runs],
        "events": tables.events(EventFilter(limit=10_000)),
        "event count": tables.count_events(EventFilter()),
        "versions": [tables.versions([node], 10_000, 0) for node in nodes],
        "job versions": [tables.job_versions(node) for node in nodes],
        "current": tables.current_versions(nodes, None),
        "users": [tables.runs_using([node], output, 10_000) for node in nodes for output in (False, True)],
        "past facets": [tables.past_facets(node) for node in nodes],
    }


CASES = pytest.mark.parametrize("events", [recorded(), everything()], ids=["recorded", "everything"])


# The state


def test_new_tables_are_empty(tables: Tables) -> None:
    assert tables.position() == 0
    assert dump(tables.load()) == dump(State())
    assert tables.runs([RunId("x")]) == tables.runs([]) == tables.runs_by_row([1]) == []
    assert tables.events(EventFilter()) == []
    assert tables.count_events(EventFilter()) == 0
    assert tables.versions([Node(0)], 10, 0) == []
    assert tables.past_facets(Node(0)) == []


@CASES
def test_what_was_written_is_loaded(tables: Tables, events: list[Record]) -> None:
    state = folded(State(), tables, events)
    write(state, tables)
    assert tables.position() == len(events)
    assert dump(tables.load()) == dump(state)


@CASES
def test_tidying_changes_no_answer(open_tables: OpenTables, events: list[Record]) -> None:
    tables = open_tables()
    tables.tidy()
    state = folded(State(), tables, events)
    write(state, tables)
    before = answers(state, tables)
    tables.tidy()
    assert answers(state, tables) == before
    tables.close()
    assert answers(state, open_tables()) == before


@CASES
def test_what_was_written_is_there_after_opening_again(open_tables: OpenTables, events: list[Record]) -> None:
    tables = open_tables()
    state = folded(State(), tables, events)
    write(state, tables)
    expected = answers(state, tables)
    tables.close()
    tables = open_tables()
    assert dump(tables.load()) == dump(state)
    assert answers(state, tables) == expected


@CASES
@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.5, 0.7, 0.9])
def test_a_loaded_state_goes_on_like_the_one_in_memory(
    open_tables: OpenTables, events: list[Record], share: float
) -> None:
    cut = int(len(events) * share)
    whole, parts = open_tables("whole"), open_tables("parts")
    state = folded(State(), whole, events)
    write(state, whole)
    before = folded(State(), parts, events[:cut])
    write(before, parts)
    after = folded(parts.load(), parts, events[cut:])
    write(after, parts)
    assert dump(after) == dump(state)
    assert dump(parts.load()) == dump(state)
    assert answers(after, parts) == answers(state, whole)


@CASES
def test_many_small_writes_are_one_large_one(open_tables: OpenTables, events: list[Record]) -> None:
    small, large = open_tables("small"), open_tables("large")
    one, other = State(), folded(State(), large, events)
    write(other, large)
    for event in events:
        folded(one, small, [event])
        write(one, small)
    assert dump(small.load()) == dump(large.load()) == dump(other)
    assert answers(one, small) == answers(other, large)


@CASES
def test_the_same_rows_twice_change_nothing(tables: Tables, events: list[Record]) -> None:
    state = folded(State(), tables, events)
    rows = take(state)
    tables.write(rows, state.position)
    expected, loaded = answers(state, tables), dump(tables.load())
    tables.write(rows, state.position)
    assert answers(state, tables) == expected
    assert dump(tables.load()) == loaded


def test_a_write_without_rows_moves_the_position(tables: Tables) -> None:
    tables.write(take(State()), Position(5))
    assert tables.position() == 5


@CASES
def test_cleared_tables_are_like_new_ones(open_tables: OpenTables, events: list[Record]) -> None:
    tables, other = open_tables(), open_tables("other")
    write(folded(State(), tables, recorded()), tables)
    tables.clear()
    assert tables.position() == 0
    assert dump(tables.load()) == dump(State())
    state = folded(State(), tables, events)
    write(state, tables)
    fresh = folded(State(), other, events)
    write(fresh, other)
    assert answers(state, tables) == answers(fresh, other)


def test_more_column_lineage_than_an_edge_remembers_is_loaded_as_it_was(tables: Tables) -> None:
    changing = [
        run("RUNNING", "load", n, outputs=[dataset("clean", make.columns(**{f"c{n}": ["raw.id"]}))])
        for n in range(MAX_COLUMN_SETS + 10)
    ]
    state = written(tables, *changing)
    assert dump(tables.load()) == dump(state)


def test_edges_with_several_spans_are_loaded(tables: Tables) -> None:
    day = 24 * 60
    state = written(tables, *(run("COMPLETE", "load", n * day, f"r{n}", ["raw"]) for n in (0, 1, 5, 6, 20)))
    loaded = tables.load()
    assert [edge.spans for edge in loaded.edges.values()] == [edge.spans for edge in state.edges.values()]
    assert all(len(edge.spans or ()) == 6 for edge in loaded.edges.values())


def test_sizes_are_known(tables: Tables) -> None:
    before = tables.size()
    write(folded(State(), tables, recorded()), tables)
    assert tables.size() > before


# Runs


@CASES
def test_runs_are_found_by_id_with_their_uses(tables: Tables, events: list[Record]) -> None:
    state = folded(State(), tables, events)
    write(state, tables)
    ids = list(state.runs)
    assert {r.id: r for r in tables.runs([*ids, RunId("nobody")])} == state.runs
    assert [r.id for r in tables.runs(ids[:1])] == ids[:1]


def test_a_thousand_runs_are_found_at_once(tables: Tables) -> None:
    state = written(tables, *(run("START", "load", n, f"r{n}", ["raw"], ["clean"]) for n in range(1_100)))
    assert {r.id: r for r in tables.runs(list(state.runs))} == state.runs
    rows = sorted((r.row for r in state.runs.values()), reverse=True)
    assert [r.row for r in tables.runs_by_row([*rows, 999_999])] == rows


def test_a_run_that_goes_on_after_a_write_is_one_run(tables: Tables) -> None:
    state = written(tables, run("START", "load", 0, inputs=["raw"]))
    state.runs.clear()  # as after a restart
    folded(state, tables, _decoded(run("COMPLETE", "load", 5, outputs=["clean"])))
    write(state, tables)
    (stored,) = tables.runs([RunId("run-1")])
    assert (stored.state, len(stored.uses), stored.started_at) == ("COMPLETED", 2, _minute(0))
    assert state.job_of(node_of(state, "load")).runs == 1


def _minute(minutes: float) -> Micros:
    return timestamps.parse(make.time(minutes))


def _ids(runs: list[Run]) -> list[str]:
    return [r.id for r in runs]


def test_runs_of_a_job_come_newest_first(tables: Tables) -> None:
    state = written(
        tables,
        run("START", "load", 5, "b"),
        run("START", "load", 1, "a"),
        run("COMPLETE", "load", 99, "a"),
        run("START", "load", 9, "c"),
        run("START", "load", 5, "bb"),
        run("START", "other", 50, "x"),
    )
    job = node_of(state, "load")
    assert _ids(tables.runs_of_job(job, 10, 0)) == ["c", "bb", "b", "a"]
    assert _ids(tables.runs_of_job(job, 2, 1)) == ["bb", "b"]
    assert tables.runs_of_job(job, 10, 4) == tables.runs_of_job(job, 0, 0) == []
    assert state.job_of(job).runs == 4


def test_runs_that_are_only_named_by_others_come_last(tables: Tables) -> None:
    state = written(
        tables, run("START", "dag", 3, "d"), run("START", "load", 4, "r", facets=make.parent("dag", "unseen"))
    )
    assert _ids(tables.runs_of_job(node_of(state, "dag"), 10, 0)) == ["d", "unseen"]
    (unseen,) = tables.runs([RunId("unseen")])
    assert (unseen.state, unseen.started_at, unseen.first) == ("NEW", None, None)


def test_a_start_that_moves_back_gives_the_latest_place_to_another_run(tables: Tables) -> None:
    state = written(tables, run("COMPLETE", "load", 9, "a"), run("START", "load", 5, "b"))
    folded(state, tables, _decoded(run("START", "load", 1, "a")))
    write(state, tables)
    assert _ids(tables.runs_of_job(node_of(state, "load"), 10, 0)) == ["b", "a"]
    latest = tables.load().job_of(node_of(state, "load")).latest
    assert latest is not None
    assert latest.id == "b"


def test_runs_that_used_a_dataset_come_newest_first(tables: Tables) -> None:
    state = written(
        tables,
        run("START", "load", 1, "a", ["raw"], ["clean"]),
        run("START", "load", 3, "b", ["raw"]),
        run("START", "load", 2, "c", ["clean"]),
    )
    raw, clean = node_of(state, "raw"), node_of(state, "clean")

    def users(datasets: list[Node], output: bool, limit: int = 10) -> list[str]:
        return _ids(tables.runs_by_row(tables.runs_using(datasets, output, limit)))

    assert users([raw], False) == ["b", "a"]
    assert users([raw], False, 1) == ["b"]
    assert users([clean], True) == ["a"]
    assert users([raw, clean], False) == ["b", "c", "a"]
    assert users([raw], True) == []


def test_the_history_of_a_run_is_in_order_of_time(tables: Tables) -> None:
    written(
        tables,
        run("COMPLETE", "load", 5),
        run("START", "load", 1),
        run("RUNNING", "load", 5),
        run("START", "load", 2, "other"),
    )
    (stored,) = tables.runs([RunId("run-1")])
    assert tables.run_history(stored.row) == [
        (2, _minute(1), EventType.START),
        (3, _minute(5), EventType.RUNNING),
        (1, _minute(5), EventType.COMPLETE),
    ]


def test_runs_that_use_the_same_datasets_are_of_one_version_of_the_job(tables: Tables) -> None:
    state = written(
        tables,
        run("START", "load", 0, "a", ["raw"]),
        run("COMPLETE", "load", 1, "a", outputs=["clean"]),
        run("COMPLETE", "load", 2, "b", ["raw"], ["clean"]),
        run("COMPLETE", "load", 3, "c", ["raw", "more"], ["clean"]),
        run("COMPLETE", "load", 4, "d", ["raw"], ["clean"]),
        run("START", "load", 5, "without datasets"),
        run("START", "other", 6, "x", ["raw"], ["clean"]),
    )
    versions = tables.job_versions(node_of(state, "load"))
    latest = tables.runs_by_row([version.latest_run for version in versions])
    assert [(version.first, run.id) for version, run in zip(versions, latest, strict=True)] == [
        (_minute(3), "c"),
        (_minute(0), "d"),
    ]
    assert len({version.version for version in versions}) == 2
    assert len(tables.job_versions(node_of(state, "other"))) == 1
    assert tables.job_versions(node_of(state, "raw")) == []


def test_a_run_that_reports_more_later_leaves_no_version_behind(tables: Tables) -> None:
    state = written(tables, run("START", "load", 0, "a", ["raw"]))
    (partial,) = tables.job_versions(node_of(state, "load"))
    folded(state, tables, _decoded(run("COMPLETE", "load", 1, "a", outputs=["clean"])))
    write(state, tables)
    (whole,) = tables.job_versions(node_of(state, "load"))
    assert whole.version != partial.version


def test_versions_of_a_job_come_newest_first(tables: Tables) -> None:
    state = written(tables, *(run("COMPLETE", "load", n, f"r{n}", [f"raw{n % 3}"]) for n in range(300)))
    assert [version.first for version in tables.job_versions(node_of(state, "load"))] == [_minute(n) for n in (2, 1, 0)]


# Events


def test_edits_are_not_counted_as_events(tables: Tables) -> None:
    events = _decoded(*(run("START", "load", n, f"r{n}") for n in range(3)))
    one, two = _edits()[:2]
    state = folded(State(), tables, [events[0], one, events[1], two])
    write(state, tables)
    assert tables.count_events(EventFilter()) == len(tables.events(EventFilter())) == 2
    folded(state, tables, [events[2]])
    write(state, tables)
    assert tables.count_events(EventFilter()) == 3
    assert tables.load().edited.count == 2


def test_counts_of_events_by_time_and_type_are_loaded(tables: Tables) -> None:
    state = written(
        tables,
        run("START", "load", 0),
        run("START", "load", 14, "b"),
        run("START", "load", 15, "c"),
        run("COMPLETE", "load", 14),
    )
    ten = _minute(0) // QUARTER
    expected = {ten << 3 | EventType.START: 2, (ten + 1) << 3 | EventType.START: 1, ten << 3 | EventType.COMPLETE: 1}
    assert state.counts == tables.load().counts == expected
    state = folded(tables.load(), tables, _decoded(run("START", "load", 3, "d")))
    write(state, tables)
    assert tables.load().counts[ten << 3 | EventType.START] == 3


def test_events_are_found_by_time(tables: Tables) -> None:
    written(tables, *(run("START", "load", at, f"r{n}") for n, at in enumerate((5, 1, 3, 3, 9))))

    def matching(after: float | None = None, before: float | None = None, **more: Any) -> list[int]:
        since, until = (None if minutes is None else _minute(minutes) for minutes in (after, before))
        criteria = EventFilter(after=since, before=until, **more)
        positions = tables.events(criteria)
        if "limit" not in more:
            assert tables.count_events(criteria) == len(positions)
        return list(positions)

    assert matching() == [5, 1, 4, 3, 2]
    assert matching(newest_first=False) == [2, 3, 4, 1, 5]
    assert matching(after=3) == [5, 1, 4, 3]
    assert matching(before=5) == [4, 3, 2]
    assert matching(after=3, before=5) == [4, 3]
    assert matching(after=10) == []
    assert matching(limit=2) == [5, 1]
    assert matching(limit=2, offset=1) == [1, 4]
    assert matching(limit=2, offset=4) == [2]
    assert tables.count_events(EventFilter(limit=1)) == 5
    assert tables.count_events(EventFilter(after=_minute(3), limit=1, offset=3)) == 4


# Versions


def _version(name: str) -> Json:
    return {"version": facet(datasetVersion=name)}


def test_versions_come_newest_first(tables: Tables) -> None:
    state = written(
        tables,
        run("COMPLETE", "load", 1, "a", outputs=[dataset("clean", _version("one"))]),
        run("COMPLETE", "load", 3, "b", outputs=[dataset("clean", _version("three"))]),
        run("COMPLETE", "load", 2, "c", outputs=[dataset("clean", _version("two"))]),
        run("START", "read", 9, "d", inputs=[dataset("clean", _version("one"))]),
        run("COMPLETE", "load", 4, "e", outputs=[dataset("other", _version("four"))]),
    )
    clean, other = node_of(state, "clean"), node_of(state, "other")
    assert [v.version for v in tables.versions([clean], 10, 0)] == ["three", "two", "one"]
    assert [v.version for v in tables.versions([clean, other], 10, 0)] == ["four", "three", "two", "one"]
    assert [v.version for v in tables.versions([clean], 1, 1)] == ["two"]
    assert (tables.count_versions([clean]), tables.count_versions([clean, other])) == (3, 4)
    one = tables.versions([clean], 10, 0)[2]
    assert tables.version(one.uuid) == one
    assert tables.version(b"nobody's") is None
    assert (one.first, one.last, one.written) == (_minute(1), _minute(9), _minute(1))
    assert [r.id for r in tables.runs_by_row([one.run or 0])] == ["a"]


def test_who_wrote_a_version_first_is_remembered_over_several_writes(tables: Tables) -> None:
    state = State()
    for event in (
        run("START", "read", 5, "reader", inputs=[dataset("clean", _version("v"))]),
        run("COMPLETE", "load", 8, "late", outputs=[dataset("clean", {**_version("v"), **make.schema("id")})]),
        run("COMPLETE", "load", 3, "early", outputs=[dataset("clean", _version("v"))]),
    ):
        folded(state, tables, _decoded(event))
        write(state, tables)
    (version,) = tables.versions([node_of(state, "clean")], 10, 0)
    assert (version.first, version.last, version.written) == (_minute(3), _minute(8), _minute(3))
    assert [r.id for r in tables.runs_by_row([version.run or 0])] == ["early"]
    assert version.schema != 0


def test_a_version_without_a_name_goes_when_the_run_names_one(tables: Tables) -> None:
    state = written(tables, run("START", "load", 1, outputs=[dataset("clean", make.schema("id"))]))
    assert [v.version for v in tables.versions([node_of(state, "clean")], 10, 0)] == [""]
    folded(state, tables, _decoded(run("COMPLETE", "load", 2, outputs=[dataset("clean", _version("v1"))])))
    write(state, tables)
    assert [v.version for v in tables.versions([node_of(state, "clean")], 10, 0)] == ["v1"]
    assert tables.count_versions([node_of(state, "clean")]) == 1


def test_the_current_version_is_the_newest_at_a_moment(tables: Tables) -> None:
    state = written(
        tables,
        *(run("COMPLETE", "load", at, f"r{at}", outputs=[dataset("clean", _version(f"v{at}"))]) for at in (10, 30, 20)),
        run("START", "load", 0, "x", inputs=["raw"]),
    )
    clean, raw = node_of(state, "clean"), node_of(state, "raw")

    def current(at: float | None) -> dict[Node, str]:
        current = tables.current_versions([clean, raw], None if at is None else _minute(at))
        return {node: version.version for node, version in current.items()}

    assert current(None) == {clean: "v30"}
    assert current(30) == {clean: "v30"}
    assert current(29) == {clean: "v20"}
    assert current(10) == {clean: "v10"}
    assert current(9) == {}


# Facets of the past


def _content(value: Json) -> int:
    return content_id(make.encoded(value))


def test_facets_that_were_replaced_are_remembered(tables: Tables) -> None:
    old, new, late = (facet(description=text) for text in ("old", "new", "late"))
    state = State()
    for at, value in ((1, old), (2, old), (5, new), (3, late), (9, make.deleted())):
        folded(state, tables, _decoded(make.dataset_event("raw", at, {"documentation": value})))
        write(state, tables)
    raw = node_of(state, "raw")
    past = [(name, first // 8, last // 8, content) for name, (first, last, content) in tables.past_facets(raw)]
    assert past == [
        ("documentation", _minute(1), _minute(2), _content(old)),
        ("documentation", _minute(3), _minute(3), _content(late)),
        ("documentation", _minute(5), _minute(5), _content(new)),
    ]
    assert tables.load().dataset_of(raw).facets["documentation"][2] == DELETED
    assert tables.past_facets(Node(raw + 1)) == []


def test_a_facet_that_comes_and_goes_within_one_write_is_remembered_once(tables: Tables) -> None:
    old, new = facet(description="old"), facet(description="new")
    values = [(n, new if n % 2 else old) for n in range(6)]
    state = written(tables, *(make.dataset_event("raw", at, {"documentation": value}) for at, value in values))
    past = [(first // 8, last // 8, content) for _, (first, last, content) in tables.past_facets(node_of(state, "raw"))]
    assert past == [(_minute(0), _minute(4), _content(old)), (_minute(1), _minute(3), _content(new))]


# Questions about many at once


def test_recent_runs_of_many_jobs_at_a_moment(tables: Tables) -> None:
    state = written(
        tables,
        *(run("START", job, at, f"{job}-{at}") for job in ("a", "b", "c") for at in range(10)),
        run("COMPLETE", "a", 2.5, "a-2", ["in"], ["out"]),
        run("START", "a", 3, "a-3-twin"),
    )
    a, b, c = (node_of(state, name) for name in "abc")

    def recent(jobs: Sequence[Node], at: float, limit: int) -> dict[Node, list[str]]:
        return {job: [r.id for r in runs] for job, runs in tables.recent_runs(jobs, _minute(at), limit).items()}

    assert recent([a, b], 3.5, 3) == {a: ["a-3-twin", "a-3", "a-2"], b: ["b-3", "b-2", "b-1"]}
    assert recent([c], 100, 2) == {c: ["c-9", "c-8"]}
    assert recent([a, b, c], 0, 5) == {a: ["a-0"], b: ["b-0"], c: ["c-0"]}
    assert recent([a], -1, 5) == recent([], 5, 5) == recent([Node(999)], 5, 5) == {}
    (whole,) = tables.recent_runs([a], _minute(2), 1)[a]
    assert whole == tables.runs([RunId("a-2")])[0]
    assert len(whole.uses) == 2


def test_the_latest_runs_of_many_jobs(tables: Tables) -> None:
    state = written(
        tables,
        *(run("START", job, at, f"{job}-{at}") for job in ("a", "b") for at in range(10)),
        run("COMPLETE", "a", 9.5, "a-9", ["in"], ["out"]),
        run("START", "a", 3, "a-3-twin"),
        run("START", "c", 3, "child", facets=parent("d", "only named")),
    )
    a, b, c, d = (node_of(state, name) for name in "abcd")
    latest_runs = tables.latest_runs([a, b, c, d, Node(999)], 8)
    assert {job: [stored.id for stored in runs] for job, runs in latest_runs.items()} == {
        a: ["a-9", "a-8", "a-7", "a-6", "a-5", "a-4", "a-3-twin", "a-3"],
        b: [f"b-{n}" for n in range(9, 1, -1)],
        c: ["child"],
        d: ["only named"],
    }
    (whole,) = tables.runs([RunId("a-9")])
    latest = latest_runs[a][0]
    assert latest.version == tables.job_versions(a)[0].version
    assert latest_runs[a][1].version is None
    assert run_from(latest, []) == replace(whole, uses={})
    assert tables.latest_runs([], 8) == {}
    many = [Node(n) for n in range(len(state.nodes), len(state.nodes) + 700)]
    assert tables.latest_runs([*many, c], 1) == {c: latest_runs[c]}


def test_recent_runs_of_more_jobs_than_one_statement_takes(tables: Tables) -> None:
    state = written(tables, *(run("START", f"j{n}", n / 1000, f"r{n}") for n in range(700)))
    jobs = [node_of(state, f"j{n}") for n in range(700)]
    recent = tables.recent_runs(jobs, _minute(10), 2)
    assert {job: [r.id for r in runs] for job, runs in recent.items()} == {job: [f"r{n}"] for n, job in enumerate(jobs)}


def test_the_signs_of_runs_up_to_a_moment(tables: Tables) -> None:
    written(
        tables,
        run("START", "load", 0, "a"),
        run("RUNNING", "load", 2, "a"),
        run("RUNNING", "load", 1, "a"),
        run("COMPLETE", "load", 3, "a"),
        run("START", "load", 5, "b"),
    )
    rows = [r.row for r in tables.runs([RunId("a"), RunId("b")])]
    a, b = rows if tables.runs_by_row(rows[:1])[0].id == "a" else rows[::-1]

    def signs_until(at: float, limit: int = 10) -> dict[int, list[tuple[int, str]]]:
        signs = tables.run_signs([a, b], _minute(at), limit)
        return {row: [(s.position, EventType(s.kind).name) for s in of_run] for row, of_run in signs.items()}

    assert signs_until(9) == {a: [(4, "COMPLETE"), (2, "RUNNING"), (3, "RUNNING"), (1, "START")], b: [(5, "START")]}
    assert signs_until(2, 2) == {a: [(2, "RUNNING"), (3, "RUNNING")]}
    assert signs_until(-1) == {}
    assert tables.run_signs([], _minute(9), 9) == {}


def test_versions_are_found_by_id_and_by_who_read_when(tables: Tables) -> None:
    state = written(
        tables,
        *(run("COMPLETE", "load", at, f"r{at}", outputs=[dataset("clean", _version(f"v{at}"))]) for at in (10, 30, 20)),
        run("START", "read", 25, "reader", inputs=["clean"]),
    )
    clean = node_of(state, "clean")
    versions = {v.version: v for v in tables.versions([clean], 10, 0)}
    (writer,) = tables.runs([RunId("r20")])
    (reader,) = tables.runs([RunId("reader")])

    def newest(at: float, row: int) -> str | None:
        read = Read(clean, _minute(at), row)
        versions = tables.versions_read([read, Read(Node(clean + 50), _minute(at), row)])
        return versions[read].version if versions else None

    assert newest(25, reader.row) == "v20"
    assert newest(25, writer.row) == "v10"  # what it wrote itself is not what it read
    assert newest(40, writer.row) == "v30"
    assert newest(5, reader.row) is None
    assert tables.versions_read([]) == {}
    assert tables.versions_by_id([]) == {}
    two = [versions["v10"].uuid, versions["v30"].uuid]
    assert tables.versions_by_id([*two, b"no"]) == {v.uuid: v for v in (versions["v10"], versions["v30"])}
    assert tables.next_versions(list(versions.values())) == {
        versions["v10"].uuid: _minute(20),
        versions["v20"].uuid: _minute(30),
    }


def test_readers_of_a_dataset_in_a_window(tables: Tables) -> None:
    state = written(
        tables,
        *(run("START", "read", at, f"r{at}", inputs=["clean"]) for at in (3, 1, 2)),
        run("START", "load", 2, "writer", outputs=["clean"]),
        run("START", "read", 2, "other", inputs=["raw"]),
    )
    clean = node_of(state, "clean")

    def readers(since: float, until: float, limit: int = 10) -> list[str]:
        return [r.id for r in tables.runs_by_row(tables.readers(clean, _minute(since), _minute(until), limit))]

    assert readers(0, 9) == ["r1", "r2", "r3"]
    assert readers(1, 3) == ["r1", "r2"]
    assert readers(0, 9, 1) == ["r1"]
    assert readers(4, 9) == []


def test_former_values_of_some_facets_of_many_nodes(tables: Tables) -> None:
    values = [facet(description=text) for text in ("one", "two", "three")]
    state = written(
        tables,
        *(
            make.dataset_event(name, at, {"documentation": value, "ownership": value})
            for name in ("raw", "clean", "still")
            for at, value in enumerate(values[: 1 if name == "still" else 3])
        ),
    )
    raw, clean, still = (node_of(state, name) for name in ("raw", "clean", "still"))
    past = tables.past_values([raw, clean, still], ["documentation", "schema"])
    assert set(past) == {raw, clean}
    for node in (raw, clean):
        assert past[node] == [value for value in tables.past_facets(node) if value[0] == "documentation"]
        assert [first // 8 for _, (first, _, _) in past[node]] == [_minute(0), _minute(1)]
    assert tables.past_values([], ["schema"]) == tables.past_values([raw], []) == {}
