"""Results of the native questions, as people read them."""

from datetime import UTC, datetime

from headwater.shapes.common import EdgeRef, NodeRef, RunSummary
from headwater.shapes.diff import Diff, EdgesChanged, FieldRef, FieldRetyped, NodesChanged, SchemaChange
from headwater.shapes.freshness import Freshness, Gaps, InputFreshness
from headwater.shapes.impact import Impact, Impacted, ImpactLevel
from headwater.shapes.search import Highlight, SearchAnswer, SearchHit
from headwater.shapes.why import Evidence, Examined, Suspect, SuspectKind, Why
from headwater.show import results
from headwater.show.format import plain

NINE = datetime(2026, 11, 10, 9, tzinfo=UTC)
TEN = datetime(2026, 11, 10, 10, tzinfo=UTC)
RUN = RunSummary("r-1", "FAILED", NINE, TEN, 3_600_000)


def job(name: str) -> NodeRef:
    return NodeRef(f"job:ns:{name}", "JOB", "ns", name)


def hit(distance: int = 1, use: str = "DIRECT", **more: object) -> Impacted:
    return Impacted(f"job:ns:{use}", "JOB", "ns", use, None, distance, use, **more)  # type: ignore[arg-type]


def test_impact_names_each_with_use_run_owner() -> None:
    node = hit(owners=["ann"], latestRun=RUN, everySeconds=3600.0)
    text = plain(results.impact(Impact("dataset:ns:t", 1, 0, 0, {"ann": 1}, [ImpactLevel(1, [node])], False)))
    lines = text.splitlines()
    assert lines[0] == "dataset:ns:t feeds 1 job, 0 datasets, 0 columns"
    assert lines[2].split() == ["1", "DIRECT", "FAILED", "2026-11-10", "10:00:00Z", "1", "h", "ann", "job:ns:DIRECT"]
    assert lines[3] == "owners: ann (1)"


def test_impact_says_that_there_is_more() -> None:
    text = plain(results.impact(Impact("dataset:ns:t", 7, 8, 0, {}, [ImpactLevel(1, [hit()])], True)))
    assert "showing the nearest 15 jobs and datasets; use a larger limit for more" in text


def test_nothing_downstream_is_shown_as_a_sentence() -> None:
    assert plain(results.impact(Impact("dataset:ns:t", 0, 0, 0, {}, [], False))) == "dataset:ns:t feeds nothing\n"


def test_why_shows_suspects_in_order_with_their_evidence() -> None:
    failed = Evidence(runId="r-1", state="FAILED", error="out of memory", positions=[7, 9])
    schema = Evidence(added=[FieldRef("tax", "double")], retyped=[FieldRetyped("price", "double", "string")])
    jumped = Evidence(statistic="rowCount", before=1000.0, after=3.0)
    suspects = [
        Suspect(SuspectKind.RUN_FAILED, "job:ns:load", 1, 0.9, NINE, "load failed", failed),
        Suspect(SuspectKind.SCHEMA_CHANGED, "dataset:ns:orders", 0, 0.4, NINE, "orders changed", schema),
        Suspect(SuspectKind.STATISTIC_JUMPED, "dataset:ns:orders", 2, 0.1, NINE, "few rows", jumped),
    ]
    text = plain(results.why(Why("dataset:ns:t", TEN, NINE, suspects, Examined(3, 4, 12), True)))
    assert text.index("1. 0.90 RUN_FAILED  load failed") < text.index("2. 0.40 SCHEMA_CHANGED")
    for part in (
        "3 jobs, 4 datasets and 12 runs upstream",
        "out of memory",
        "r-1  FAILED",
        "events  7, 9",
        "+ tax double",
        "~ price double → string",
        "rowCount  1,000 → 3",
        "1 job away",
        "itself",
        "only the nearest nodes were examined",
    ):
        assert part in text


def test_why_without_suspects_says_so() -> None:
    text = plain(results.why(Why("dataset:ns:t", TEN, NINE, [], Examined(0, 1, 0), False)))
    assert "no suspects" in text


def test_a_diff_has_a_sign_before_each_change() -> None:
    change = SchemaChange("dataset:ns:t", TEN, [], [FieldRef("price", None)], [])
    answer = Diff(
        NINE,
        TEN,
        None,
        NodesChanged([job("new")], [job("old")]),
        EdgesChanged([EdgeRef("job:ns:new", "dataset:ns:t")], []),
        EdgesChanged([], [EdgeRef("datasetField:ns:a:b", "datasetField:ns:c:d")]),
        [change],
        False,
    )
    assert plain(results.diff(answer)).splitlines() == [
        "from 2026-11-10 09:00:00Z to 2026-11-10 10:00:00Z",
        "+ job:ns:new",
        "- job:ns:old",
        "+ job:ns:new → dataset:ns:t",
        "- datasetField:ns:a:b → datasetField:ns:c:d",
        "~ dataset:ns:t  2026-11-10 10:00:00Z",
        "    - price",
    ]


def test_a_diff_without_changes_says_so() -> None:
    none = EdgesChanged([], [])
    text = plain(results.diff(Diff(NINE, TEN, "job:ns:x", NodesChanged([], []), none, none, [], False)))
    assert text.splitlines()[1] == "nothing changed"


def test_freshness_shows_age_and_lateness() -> None:
    old = InputFreshness("dataset:ns:orders", "DATASET", "ns", "orders", None, NINE, 7200.0, True)
    answer = Freshness("dataset:ns:t", TEN, NINE, 3600.0, "job:ns:load", RUN, 1800.0, NINE, True, [old])
    text = plain(results.freshness(answer))
    for part in (
        "2026-11-10 09:00:00Z  1 h ago",
        "job:ns:load",
        "30 min",
        "late",
        "2 h  2026-11-10 09:00:00Z  late  dataset:ns:orders",
    ):
        assert part in text
    never = Freshness("dataset:ns:t", TEN, None, None, None, None, None, None, False, [])
    assert "never" in plain(results.freshness(never))


def test_gaps_are_counted() -> None:
    text = plain(results.gaps(Gaps("jobsWithoutOwner", 1200, [job("a")])))
    assert text.splitlines() == ["1,200 jobs without owner", "job:ns:a", "1 of 1,200 shown"]
    assert plain(results.gaps(Gaps("jobsWithoutOwner", 0, []))) == "no jobs without owner\n"


def test_hits_show_where_they_were_found() -> None:
    marks = [Highlight("name", "<em>t</em>"), Highlight("sql", "a &lt; <em>price</em>")]
    result = SearchHit("DATASET", "t", NINE, "ns", "dataset:ns:t", 1.0, None, marks)
    text = plain(results.search(SearchAnswer(5, [result])))
    assert "sql: a < price" in text
    assert "name:" not in text
    assert "1 of 5 shown" in text
    assert plain(results.search(SearchAnswer(0, []))) == "no matches\n"
