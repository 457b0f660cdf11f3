"""One line for each live update."""

from datetime import UTC, datetime
from typing import Any

from headwater.shapes.common import EdgeRef, NodeRef
from headwater.shapes.live import LiveChange, LiveResync, LiveRun
from headwater.show.cards import live
from headwater.show.format import plain

NINE = datetime(2026, 11, 10, 9, tzinfo=UTC)


def line(kind: str = "START", run: LiveRun | None = None, job: str | None = "job:ns:load", **more: Any) -> str:
    update = LiveChange(7, NINE, kind, run, job, more.pop("dataset", None), [], [], **more)
    return plain(live(update)).rstrip("\n")


def test_a_change_of_state_shows_the_state_before() -> None:
    run = LiveRun("r", "job:ns:load", "FAILED", "RUNNING", NINE, NINE)
    assert line("FAIL", run) == "2026-11-10 09:00:00Z  FAIL      job:ns:load  RUNNING → FAILED"


def test_a_new_run_had_no_state_before() -> None:
    run = LiveRun("r", "job:ns:load", "RUNNING", None, NINE, None)
    assert line("START", run) == "2026-11-10 09:00:00Z  START     job:ns:load  RUNNING"


def test_a_sign_of_life_has_no_arrow() -> None:
    run = LiveRun("r", "job:ns:load", "RUNNING", "RUNNING", NINE, None)
    assert line("RUNNING", run) == "2026-11-10 09:00:00Z  RUNNING   job:ns:load"


def test_what_is_new_and_what_is_removed_is_named() -> None:
    text = line(
        addedNodes=[NodeRef("dataset:ns:t", "DATASET", "ns", "t")],
        removedNodes=["dataset:ns:old"],
        addedEdges=[EdgeRef("a", "b"), EdgeRef("b", "c")],
        schemas=["dataset:ns:t"],
    )
    for part in ("new dataset:ns:t", "removed dataset:ns:old", "2 new edges", "schema of dataset:ns:t changed"):
        assert part in text


def test_events_without_a_run_show_their_job_or_dataset() -> None:
    assert line("STATIC", None, None, dataset="dataset:ns:t").endswith("STATIC    dataset:ns:t")
    assert line("EDIT", None, None, changed=["job:ns:x"]).endswith("EDIT      job:ns:x")


def test_missed_updates_are_shown() -> None:
    assert plain(live(LiveResync(9, "slow"))) == "9  updates were missed (slow)\n"
