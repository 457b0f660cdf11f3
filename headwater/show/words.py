"""How single things are written: nodes, states, times."""

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

# Wider than anything: a pipe has no edge at which text would have to end.
_ENDLESS = 100_000


def plain(*parts: RenderableType) -> str:
    """As text without colours, with no line cut or wrapped and nothing at the ends of lines."""
    console = Console(file=io.StringIO(), width=_ENDLESS, color_system=None, highlight=False, emoji=False)
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, (str, Text)), markup=False)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def table(*columns: str) -> Table:
    """Columns without lines; the last one takes what is long."""
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim", show_header=any(columns))
    for column in columns[:-1]:
        made.add_column(column, no_wrap=True)
    made.add_column(columns[-1], overflow="fold")
    return made


def facts(*pairs: tuple[str, RenderableType | None]) -> Table:
    """Names and values, without those that have none."""
    made = table("", "")
    for name, value in pairs:
        if value is not None and value != "":
            made.add_row(Text(name, "dim"), value)
    return made


def node(node_id: str, *, name: str | None = None) -> Text:
    """An id that can be copied, with the name standing out."""
    if name and node_id.endswith(name):
        return Text.assemble((node_id.removesuffix(name), "dim"), (name, "bold"))
    kind, colon, rest = node_id.partition(":")
    return Text.assemble((kind + colon, "dim"), (rest, "bold"))


def ref(found: NodeRef) -> Text:
    if found.field is not None:
        lead = f"{_TYPES.get(found.type, found.type)}:{found.namespace}:"
        return Text.assemble((lead, "dim"), (f"{found.name}:{found.field}", "bold"))
    return node(found.nodeId, name=found.name)


def state(word: str | None) -> Text:
    return Text(word or "", STATES.get(word or "", ""))


def moment(at: datetime | None) -> str:
    if at is None:
        return ""
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def span(seconds: float | None) -> str:
    """A length of time in two units at the most: `2 d 3 h`, `41 s`."""
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


def took(milliseconds: int | None) -> str:
    return "" if milliseconds is None else span(milliseconds / 1000)


def many(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def gist(error: str | None) -> str | None:
    """What a stack trace says, without where it was: the first line, and what caused it."""
    if not error:
        return None
    first, *rest = error.strip().splitlines()
    return "\n".join([first, *(line.strip() for line in rest if line.lstrip().startswith("Caused by"))])
