"""Formats nodes, states, times and tables, the same everywhere."""

import io
from datetime import UTC, datetime

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from headwater.shapes.common import NodeRef

STATES = {
    "COMPLETED": "green",
    "RUNNING": "bold blue",
    "FAILED": "bold red",
    "ABORTED": "yellow",
    "NEW": "dim",
}
_TYPES = {"JOB": "job", "DATASET": "dataset", "DATASET_FIELD": "datasetField"}

# Wider than any line: text for a pipe is never wrapped.
_UNLIMITED = 100_000


def plain(*parts: RenderableType) -> str:
    """As text without colours; lines are neither cut nor wrapped, and have no trailing blanks."""
    console = Console(file=io.StringIO(), width=_UNLIMITED, color_system=None, highlight=False, emoji=False)
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, (str, Text)), markup=False)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def table(*columns: str) -> Table:
    """A table without rules; its last column folds long text."""
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim", show_header=any(columns))
    for column in columns[:-1]:
        made.add_column(column, no_wrap=True)
    made.add_column(columns[-1], overflow="fold")
    return made


def properties(*pairs: tuple[str, RenderableType | None]) -> Table:
    """Names and values; those without a value are left out."""
    made = table("", "")
    for name, value in pairs:
        if value is not None and value != "":
            made.add_row(Text(name, "dim"), value)
    return made


def node(node_id: str, *, name: str | None = None) -> Text:
    """A whole id, which can be copied, with the name in bold."""
    if name and node_id.endswith(name):
        return Text.assemble((node_id.removesuffix(name), "dim"), (name, "bold"))
    kind, colon, rest = node_id.partition(":")
    return Text.assemble((kind + colon, "dim"), (rest, "bold"))


def ref(reference: NodeRef) -> Text:
    if reference.field is not None:
        lead = f"{_TYPES.get(reference.type, reference.type)}:{reference.namespace}:"
        return Text.assemble((lead, "dim"), (f"{reference.name}:{reference.field}", "bold"))
    return node(reference.nodeId, name=reference.name)


def state(word: str | None) -> Text:
    return Text(word or "", STATES.get(word or "", ""))


def timestamp(at: datetime | None) -> str:
    if at is None:
        return ""
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def duration(seconds: float | None) -> str:
    """At most two units: `2 d 3 h`, `41 s`."""
    if seconds is None:
        return ""
    if abs(seconds) < 10:
        return f"{seconds:.1f} s"
    left = round(abs(seconds))
    parts = []
    for unit, size in (("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {unit}")
    return ("-" if seconds < 0 else "") + " ".join(parts[:2])


def duration_ms(milliseconds: int | None) -> str:
    return "" if milliseconds is None else duration(milliseconds / 1000)


def plural(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def error_summary(error: str | None) -> str | None:
    """The first line of a stack trace and its causes, without the frames."""
    if not error:
        return None
    first, *rest = error.strip().splitlines()
    return "\n".join([first, *(line.strip() for line in rest if line.lstrip().startswith("Caused by"))])
