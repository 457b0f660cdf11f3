"""Where the commands write: results to standard output, progress and errors beside it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from headwater.show.words import plain

Report = Callable[[int, int], None]
"""Called with how much is done, and of how much."""

out = Console(highlight=False, emoji=False)
err = Console(stderr=True, highlight=False, emoji=False)


def show(*parts: RenderableType) -> None:
    """With colours for a terminal; into a pipe or file as plain text, nothing cut and nothing wrapped."""
    if out.is_terminal:
        for part in parts:
            out.print(part, markup=False)
    else:
        write(plain(*parts))


def write(text: str | bytes) -> None:
    """As it is, to standard output."""
    body = text.encode(errors="replace") if isinstance(text, str) else text
    sys.stdout.flush()
    sys.stdout.buffer.write(body)
    sys.stdout.buffer.flush()


def note(text: str) -> None:
    """Beside the result, so that a pipe does not get it."""
    err.print(text, style="dim", markup=False, soft_wrap=True)


@contextmanager
def progress_bar(what: str, *, at_once: bool = False) -> Iterator[Report]:
    """A bar for long work, shown at once or with the first report; nothing for work that is
    done before anything is reported."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task(what, visible=at_once, total=None)

        def report(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total or None, visible=at_once or done > 0)

        yield report
