"""Where the commands write: results to standard output, progress and errors beside it."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from headwater.service import Progress as Report

out = Console()
err = Console(stderr=True)


@contextmanager
def progress_bar(what: str, *, at_once: bool = False) -> Iterator[Report]:
    """A bar for long work, shown at once or with the first report; nothing for work that is
    done before anything is reported."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task(what, visible=at_once, total=None)

        def report(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, visible=at_once or total > 0)

        yield report
