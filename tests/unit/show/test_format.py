"""The formats of single values."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from rich.text import Text

from headwater.shapes.common import NodeRef
from headwater.show.format import duration, error_summary, node, plain, ref, table, timestamp


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, ""),
        (0, "0.0 s"),
        (8.74, "8.7 s"),
        (59.7, "1 min"),
        (61, "1 min 1 s"),
        (3600, "1 h"),
        (7384, "2 h 3 min"),
        (200_000, "2 d 7 h"),
        (-90, "-1 min 30 s"),
    ],
)
def test_durations_have_at_most_two_units(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


def test_times_are_shown_in_utc() -> None:
    at = datetime(2026, 11, 10, 9, 0, tzinfo=timezone(timedelta(hours=2)))
    assert timestamp(at) == "2026-11-10 07:00:00Z"
    assert timestamp(datetime(2026, 11, 10, 9, 0, tzinfo=UTC)) == "2026-11-10 09:00:00Z"
    assert timestamp(None) == ""


def test_ids_can_be_copied_whole() -> None:
    assert node("dataset:s3://w:a/b", name="a/b").plain == "dataset:s3://w:a/b"
    assert node("run:1").plain == "run:1"
    column = NodeRef("datasetField:ns:t:c", "DATASET_FIELD", "ns", "t", "c")
    assert ref(column).plain == "datasetField:ns:t:c"


def test_plain_text_is_neither_cut_nor_wrapped_nor_padded() -> None:
    rows = table("a", "b")
    rows.add_row("x" * 300, "y" * 300)
    rows.add_row("z", "")
    assert plain(rows) == f"a{' ' * 301}b\n{'x' * 300}  {'y' * 300}\nz\n"


def test_names_that_look_like_markup_are_shown_as_they_are() -> None:
    name = "[red]a[/] :smile: \\[x]"
    assert plain(Text(name)) == name + "\n"
    assert plain(name) == name + "\n"
    assert plain(node(f"job:ns:{name}", name=name)) == f"job:ns:{name}\n"


def test_a_stack_trace_is_summarised_by_its_causes() -> None:
    trace = "JobException: gone\n\tat a.b(C.java:1)\nCaused by: IOException: disk\n\tat d.e(F.java:2)\n"
    assert error_summary(trace) == "JobException: gone\nCaused by: IOException: disk"
    assert error_summary("plain") == "plain"
    assert error_summary("") is error_summary(None) is None
