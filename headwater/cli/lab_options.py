"""What all lab commands have in common: the options that choose a lab, and the progress of downloads."""

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

_DEFAULT_NAME = "default"


@Parameter(name="*")
@dataclass(frozen=True)
class LabOptions:
    """Options of every lab command."""

    name: Annotated[str, Parameter(help="The name of the lab, if there are several.")] = _DEFAULT_NAME
    data: Annotated[
        Path | None, Parameter(help="Its folder; by default one of that name in your user data folder.")
    ] = None

    @property
    def folder(self) -> Path:
        if not self.name.replace("-", "").replace("_", "").isalnum():
            raise BadRequest(f"--name {self.name!r}: use letters, digits, - and _ only")
        folder = self.data or user_data_path("headwater", appauthor=False) / "lab" / self.name
        return folder.absolute()

    @property
    def arguments(self) -> str:
        """For the command line of another command for the same lab."""
        name = f" --name {self.name}" if self.name != _DEFAULT_NAME else ""
        return name + (f" --data {self.data}" if self.data else "")

    def read_lab(self) -> Lab:
        lab = state.read(self.folder)
        if lab is None:
            raise NotFound(f"no lab in {self.folder}; start one with `headwater lab up`")
        return lab


DEFAULT = LabOptions()


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
