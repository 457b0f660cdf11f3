"""Output of the commands: results to standard output, progress and errors to standard error."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from headwater.show.format import plain

Report = Callable[[int, int], None]
"""Called with how much is done, and the total."""

out = Console(highlight=False, emoji=False)
err = Console(stderr=True, highlight=False, emoji=False)


def show(*parts: RenderableType) -> None:
    """With colours on a terminal; as plain text, neither cut nor wrapped, into a pipe or file."""
    if out.is_terminal:
        for part in parts:
            out.print(part, markup=False)
    else:
        write(plain(*parts))


def write(text: str | bytes) -> None:
    """To standard output, unchanged."""
    body = text.encode(errors="replace") if isinstance(text, str) else text
    sys.stdout.flush()
    sys.stdout.buffer.write(body)
    sys.stdout.buffer.flush()


def note(text: str) -> None:
    """To standard error, so that a pipe does not get it."""
    err.print(text, style="dim", markup=False, soft_wrap=True)


@contextmanager
def progress_bar(title: str, *, at_once: bool = False) -> Iterator[Report]:
    """A progress bar, shown at once or with the first report; nothing for work that ends before that."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(title, visible=at_once, total=None)

        def report(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total or None, visible=at_once or done > 0)

        yield report
