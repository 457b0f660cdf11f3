"""Which lab, and how its downloads are shown: what lab commands have in common."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from platformdirs import user_data_path
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from headwater.cli import console
from headwater.errors import BadRequest, NotFound
from headwater.lab import jars, state
from headwater.lab.state import Lab

_DEFAULT = "default"


@Parameter(name="*")
@dataclass(frozen=True)
class Which:
    """Options of every lab command."""

    name: Annotated[str, Parameter(help="Which lab, where there are several.")] = _DEFAULT
    data: Annotated[Path | None, Parameter(help="Its folder; by default one of that name in your data folder.")] = None

    @property
    def folder(self) -> Path:
        if not self.name.replace("-", "").replace("_", "").isalnum():
            raise BadRequest(f"{self.name!r} is not a name: letters, digits, - and _ only")
        found = self.data or user_data_path("headwater", appauthor=False) / "lab" / self.name
        return found.absolute()

    @property
    def again(self) -> str:
        """The options that lead another command to the same lab."""
        name = f" --name {self.name}" if self.name != _DEFAULT else ""
        return name + (f" --data {self.data}" if self.data else "")

    def read(self) -> Lab:
        found = state.read(self.folder)
        if found is None:
            raise NotFound(f"there is no lab in {self.folder}; `headwater lab up` starts one")
        return found


HERE = Which()


@contextmanager
def downloads() -> Iterator[jars.Report]:
    columns = (TextColumn("Downloading {task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("files"))
    with Progress(*columns, console=console.err, transient=True, disable=not console.err.is_terminal) as bar:
        task = bar.add_task("", visible=False, total=None)
        groups: set[str] = set()

        def report(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total, visible=True)
            group = what.partition(":")[0]
            if group not in groups and not console.err.is_terminal:
                console.note(f"Downloading {group}: {total} files")
            groups.add(group)

        yield report
