"""Schemas that changed, datasets that were dropped or renamed, amounts that jumped."""

from typing import Any

import pytest

from headwater.shapes.diff import FieldRef, FieldRetyped
from headwater.shapes.why import Evidence
from headwater.why.amounts import FLOORS, _onset
from tests.support.make import (
    columns,
    dataset,
    dataset_event,
    deleted,
    facet,
    lifecycle,
    parent,
    run,
    schema,
    symlinks,
    time,
)
from tests.support.story import wrote
from tests.support.whodunit import Answer, why
from tests.support.world import World

Json = dict[str, Any]


def read(*events: Json, at: float = 100, name: str = "out", days: float = 7) -> Answer:
    """`out` is made from `raw` by `load`."""
    made = run("COMPLETE", "load", 0, "load", ["raw"], [dataset("out", columns(x=["raw.x"], y=["raw.y"]))])
    return why(World([made, *events]), name, time(at), days=days)


def changes(answer: Answer) -> list[Evidence]:
    return [s.evidence for s in answer.suspects if s.kind == "SCHEMA_CHANGED"]


def schema_event(name: str, at: float, *fields: str) -> Json:
    return dataset_event(name, at, schema(*fields))


# Schemas


def test_columns_that_are_new_gone_or_of_another_type() -> None:
    (change,) = changes(
        read(
            schema_event("raw", 1, "x:INT", "y:INT", "gone:DATE"),
            schema_event("raw", 50, "x:INT", "y:STRING", "new:INT"),
        )
    )
    assert change.added == [FieldRef("new", "INT")]
    assert change.removed == [FieldRef("gone", "DATE")]
    assert change.retyped == [FieldRetyped("y", "INT", "STRING")]


def test_the_first_schema_is_no_change() -> None:
    assert changes(read(schema_event("raw", 50, "x:INT"))) == []


def test_another_spelling_of_the_same_schema_is_no_change() -> None:
    same = {"schema": facet(fields=[{"name": "x", "type": "int", "description": "a number"}])}
    assert changes(read(schema_event("raw", 1, "x:INT"), dataset_event("raw", 50, same))) == []
    assert changes(read(schema_event("raw", 1, "x:INT"), schema_event("raw", 50, "x"))) == []


def test_a_change_that_was_taken_back_is_not_suspected() -> None:
    events = [schema_event("raw", 1, "x:INT"), schema_event("raw", 50, "x:STRING"), schema_event("raw", 60, "x:INT")]
    assert len(changes(read(*events, at=55))) == 1
    assert changes(read(*events, at=70)) == []


def test_what_is_left_of_several_changes_is_shown_one_by_one() -> None:
    events = [
        schema_event("raw", 1, "x:INT", "y:INT"),
        schema_event("raw", 50, "x:DATE", "y:INT", "z:INT"),
        schema_event("raw", 60, "x:DATE"),
    ]
    by_removal = {bool(change.removed): change for change in changes(read(*events))}
    assert by_removal == {
        False: Evidence(retyped=[FieldRetyped("x", "INT", "DATE")]),
        True: Evidence(removed=[FieldRef("y", "INT"), FieldRef("z", "INT")]),
    }


def test_two_writers_with_different_schemas_change_nothing_after_the_first_time() -> None:
    events = [schema_event("raw", at, "x:INT" if at % 2 else "x:BIGINT") for at in range(20)]
    assert changes(read(*events, days=10 / 1440)) == []


def test_a_change_before_since_is_not_suspected() -> None:
    events = [schema_event("raw", 1, "x:INT"), schema_event("raw", 50, "x:STRING")]
    assert len(changes(read(*events, days=60 / 1440))) == 1
    assert changes(read(*events, days=40 / 1440)) == []


def test_readers_report_a_dataset_that_nobody_writes() -> None:
    reads = [
        run("START", "load", at, f"r{at}", [dataset("raw", schema(f"x:{kind}"))], ["out"])
        for at, kind in ((1, "INT"), (50, "DATE"))
    ]
    (change,) = changes(read(*reads))
    assert change.retyped == [FieldRetyped("x", "INT", "DATE")]


def test_nested_columns_are_compared_too() -> None:
    def nested(kind: str) -> Json:
        return {"schema": facet(fields=[{"name": "s", "type": "struct", "fields": [{"name": "a", "type": kind}]}])}

    (change,) = changes(read(dataset_event("raw", 1, nested("INT")), dataset_event("raw", 50, nested("DATE"))))
    assert change.retyped == [FieldRetyped("s.a", "INT", "DATE")]


def test_a_schema_that_was_taken_back_is_passed_over() -> None:
    events = [
        schema_event("raw", 1, "x:INT"),
        dataset_event("raw", 20, {"schema": deleted()}),
        schema_event("raw", 50, "x:DATE"),
    ]
    (change,) = changes(read(*events))
    assert change.retyped == [FieldRetyped("x", "INT", "DATE")]


def test_a_column_that_feeds_the_question_outweighs_one_that_does_not_and_one_that_is_new() -> None:
    def suspicion(before: str, after: str) -> float:
        answer = read(
            schema_event("raw", 1, "x:INT", *before.split()), schema_event("raw", 50, "x:INT", *after.split())
        )
        return answer.one("SCHEMA_CHANGED", "raw").suspicion

    assert suspicion("y:INT", "y:DATE") > suspicion("z:INT", "z:DATE") > suspicion("", "z:INT")
    assert suspicion("y:INT", "") == suspicion("y:INT", "y:DATE")


# Dropped and renamed


def kinds(answer: Answer) -> list[str]:
    return [s.kind for s in answer.suspects]


def test_a_dropped_input_is_suspected_until_somebody_writes_it_again() -> None:
    dropped = dataset_event("raw", 50, lifecycle("DROP"))
    assert kinds(read(dropped, at=49)) == []
    assert kinds(read(dropped)) == ["DATASET_DROPPED"]
    assert kinds(read(dropped, dataset_event("raw", 60, lifecycle("CREATE")))) == []
    assert kinds(read(dropped, run("COMPLETE", "other", 60, "o", [], ["raw"]))) == []
    assert kinds(read(dropped, days=0.01)) == []


def test_what_was_dropped_at_the_time_is_known_after_it_came_back() -> None:
    events = [dataset_event("raw", 50, lifecycle("DROP")), dataset_event("raw", 60, lifecycle("CREATE"))]
    assert kinds(read(*events, at=55)) == ["DATASET_DROPPED"]
    assert kinds(read(*events, at=65)) == []


def test_a_renamed_input_is_shown_with_its_old_name() -> None:
    answer = read(dataset_event("fresh", 50, lifecycle("RENAME", previous="raw")))
    suspect = answer.one("DATASET_RENAMED", "fresh")
    assert suspect.evidence.previousName == "dataset:db:raw"
    assert suspect.summary == "Dataset fresh was dataset:db:raw until it was renamed at 2026-03-02 10:50:00 UTC."


def test_a_drop_of_the_logical_name_drops_the_dataset() -> None:
    linked = dataset_event("raw", 1, symlinks(("hive", "raw")))
    assert kinds(read(linked, dataset_event(("hive", "raw"), 50, lifecycle("DROP")))) == ["DATASET_DROPPED"]


def test_a_dropped_input_explains_the_failure_of_its_reader_but_not_of_others() -> None:
    events = [
        dataset_event("raw", 50, lifecycle("DROP")),
        run("START", "load", 60, "bad", ["raw"]),
        run("FAIL", "load", 61, "bad", ["raw"]),
        run("FAIL", "after", 70, "after", ["out"], ["end"]),
    ]
    answer = read(*events, name="end")
    assert [f"{s.kind} {s.nodeId}" for s in answer.suspects][:1] == ["DATASET_DROPPED dataset:db:raw"]
    assert answer.one("DATASET_DROPPED", "raw").explains == ["job:jobs:after", "job:jobs:load"]
    alone = read(*(e for e in events if e.get("job", {}).get("name") != "load"), name="end")
    assert alone.one("DATASET_DROPPED", "raw").explains == []


# Amounts


def loads(*rows: int | None, at: float = 0) -> list[Json]:
    return [
        run("COMPLETE", "load", at + n, f"r{n}", ["raw"], [dataset("out") if count is None else wrote("out", count)])
        for n, count in enumerate(rows)
    ]


def jumps(answer: Answer) -> list[tuple[float | None, float | None]]:
    return [(s.evidence.before, s.evidence.after) for s in answer.suspects if s.kind == "STATISTIC_JUMPED"]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ((100, 100, 100, 100, 0), [(100, 0)]),
        ((100, 100, 100, 100, 33), [(100, 33)]),
        ((100, 100, 100, 100, 34), []),
        ((100, 100, 100, 100, 300), [(100, 300)]),
        ((100, 100, 100, 100, 299), []),
        ((100, 100, 100, 0), []),  # too few to know what is usual
        ((1, 1, 1, 1, 0), [(1, 0)]),  # nothing where there always was something
        ((2, 2, 2, 2, 7), []),  # small numbers waver
        ((100, 1, 1000, 10, 5000), []),  # large ones may too
        ((100, 100, 100, 100, 100, 0, 0, 0), [(100, 0)]),
        ((100, 100, 100, 100, 0, 100), []),
        ((0, 0, 0, 0, 0), []),
    ],
)
def test_amounts_that_jump(rows: tuple[int, ...], expected: list[tuple[float, float]]) -> None:
    assert jumps(read(*loads(*rows))) == expected


def test_a_jump_is_dated_to_the_first_run_with_it() -> None:
    suspect = read(*loads(100, 100, 100, 100, 0, 0, 0)).one("STATISTIC_JUMPED", "out")
    assert suspect.evidence.runId == "r4"
    assert _onset([100] * 8 + [0] * 9, FLOORS["rowCount"]) == (8, 100)


def test_runs_that_report_no_amounts_are_passed_over() -> None:
    assert jumps(read(*loads(100, None, 100, 100, None, 100, 0))) == [(100, 0)]
    assert jumps(read(*loads(None, None, None, None, None))) == []


def test_runs_that_failed_do_not_count() -> None:
    failed = run("FAIL", "load", 50, "bad", ["raw"], [wrote("out", 0)])
    assert jumps(read(*loads(100, 100, 100, 100, 100), failed)) == []


def test_what_readers_count_is_taken_where_no_writer_counts() -> None:
    def reading(n: int, rows: int, name: str) -> Json:
        counted = {"inputFacets": {name: facet(rowCount=rows, bytes=1, size=1)}}
        return run("COMPLETE", "load", n, f"r{n}", [{**dataset("raw"), **counted}], ["out"])

    for name in ("inputStatistics", "dataQualityMetrics"):
        events = [reading(n, rows, name) for n, rows in enumerate((100, 100, 100, 100, 0))]
        suspect = read(*events).one("STATISTIC_JUMPED", "raw")
        assert suspect.summary.startswith("Job load read 0 rows from raw")


def test_of_a_writer_and_a_reader_that_report_the_same_the_writer_counts() -> None:
    events = loads(100, 100, 100, 100, 0)
    for n, rows in enumerate((100, 100, 100, 100, 0)):
        counted = {"inputFacets": {"inputStatistics": facet(rowCount=rows)}}
        events.append(run("COMPLETE", "next", n + 0.5, f"n{n}", [{**dataset("out"), **counted}], ["end"]))
    suspect = read(*events, name="end").one("STATISTIC_JUMPED", "out")
    assert suspect.evidence.jobId == "job:jobs:load"


def test_statistics_that_make_no_sense_are_passed_over() -> None:
    odd = {"outputFacets": {"outputStatistics": facet(rowCount="many")}}
    events = [run("COMPLETE", "load", n, f"r{n}", ["raw"], [{**dataset("out"), **odd}]) for n in range(6)]
    assert jumps(read(*events)) == []


# Parents


def application(*, child_runs: bool) -> list[Json]:
    """An application that starts `load` every day, and fails on the last one."""
    events: list[Json] = []
    for day in range(6):
        at, above = day * 1440 - 8 * 1440, f"app {day}"
        last = day == 5
        events.append(run("START", "app", at, above))
        if not last or child_runs:
            events.append(run("COMPLETE", "load", at + 5, f"l{day}", ["raw"], ["out"], parent("app", above)))
        events.append(run("FAIL" if last else "COMPLETE", "app", at + 9, above))
    return events


def test_an_application_that_failed_before_it_started_the_job_is_to_blame() -> None:
    made = World(application(child_runs=False))
    at = time(-3 * 1440 + 300)
    answer = why(made, "out", at)
    assert answer.listed() == ["RUN_FAILED app", "RUN_LATE load"]
    assert answer.one("RUN_FAILED", "app").explains == ["job:jobs:load"]


def test_an_application_that_failed_after_the_job_was_done_is_not() -> None:
    assert why(World(application(child_runs=True)), "out", time(-3 * 1440 + 300)).listed() == []


def test_a_rename_that_the_readers_noticed_is_hardly_suspicious() -> None:
    renamed = dataset_event("fresh", 50, lifecycle("RENAME", previous="raw"))
    before = read(renamed).one("DATASET_RENAMED", "fresh")
    noticed = read(renamed, run("COMPLETE", "load", 60, "l2", ["fresh"], ["out"])).one("DATASET_RENAMED", "fresh")
    assert noticed.suspicion < before.suspicion / 2
