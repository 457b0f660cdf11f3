"""`headwater lab`"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import App, Parameter
from platformdirs import user_data_path
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from headwater.cli import console
from headwater.cli.asking import Flag
from headwater.cli.exits import ERROR
from headwater.errors import BadRequest, NotFound
from headwater.lab import daemon, jars, logs, look, needs, site, state, supervisor, table
from headwater.lab import ports as port_numbers
from headwater.lab.screen import Screen
from headwater.lab.services import SERVICES
from headwater.lab.site import Plan
from headwater.lab.spec import choose
from headwater.lab.state import Lab

lab = App(name="lab", help="Kafka, Connect, Schema Registry, S3, an Iceberg catalog and Headwater on this machine.")

_ROOM = 500  # megabytes that a fresh lab may fill before anyone puts data into it


@Parameter(name="*")
@dataclass(frozen=True)
class Which:
    """Options of every lab command."""

    name: Annotated[str, Parameter(help="Which lab, where there are several.")] = "default"
    data: Annotated[Path | None, Parameter(help="Its folder; by default one of that name in your data folder.")] = None

    @property
    def folder(self) -> Path:
        if not self.name.replace("-", "").replace("_", "").isalnum():
            raise BadRequest(f"{self.name!r} is not a name: letters, digits, - and _ only")
        found = self.data or user_data_path("headwater", appauthor=False) / "lab" / self.name
        return found.absolute()

    def read(self) -> Lab:
        found = state.read(self.folder)
        if found is None:
            raise NotFound(f"there is no lab in {self.folder}; `headwater lab up` starts one")
        return found


HERE = Which()


@lab.command
def up(
    *,
    services: str | None = None,
    ports: str = "",
    detach: Flag = False,
    verify: Flag = False,
    which: Which = HERE,
) -> None:
    """Start the lab and watch it until Ctrl-C. What is missing is downloaded first.

    Parameters
    ----------
    services
        Only these, with commas between them, and what they need; by default all.
    ports
        Ports that must be these: `kafka=19092,s3=19000`. Others are the usual ones or, if those are taken, any.
    detach
        Return when everything is up, and let it run.
    verify
        Compare the content of all that was downloaded before with its checksums.
    """
    pinned = port_numbers.parse(ports)
    spark = needs.spark()
    names = tuple(filter(None, services.split(","))) if services is not None else None
    if names is None:
        names = tuple(service.name for service in SERVICES if spark or not service.spark)
        if not spark:
            console.note("without the Spark history, as pyspark is not installed here (`make setup-lab` installs it)")
    chosen = choose(SERVICES, names)
    if not spark and any(service.spark for service in chosen):
        raise BadRequest("the Spark history needs pyspark, which is not installed here (`make setup-lab` installs it)")
    java = needs.java(os.environ) if any(service.java for service in chosen) else None
    site.claim(which.folder)
    needs.room(which.folder, _ROOM, "the lab")
    programs = jars.home(jars.cache())
    with _download() as report:
        wanted = {service.jars for service in chosen if service.jars}
        jars.ensure(programs, wanted, os.environ, report, thorough=verify)
    plan = Plan(which.name, which.folder, tuple(service.name for service in chosen), programs, java, spark, pinned)
    started = time.monotonic()
    stop = f"Stop it with `headwater lab down{_same(which)}`." if detach else "Stop it with Ctrl-C."
    with Screen(console.err) as screen:

        def changed(now: Lab) -> None:
            screen(now)
            if now.phase == "up":  # told once: whatever comes later is the end
                console.show(f"The lab {now.name} is up after {time.monotonic() - started:.0f} s.")
                console.show(table.summary(now), f"\n{stop}")

        if detach:
            daemon.detach(plan, changed)
        else:
            supervisor.run(plan, daemon.reserve(), changed)
            console.show(f"The lab {which.name} is down.")


@lab.command
def down(*, which: Which = HERE) -> None:
    """Stop the lab. Its data stays."""
    which.read()
    with Screen(console.err) as screen:
        stopped = daemon.stop(which.folder, screen)
    console.show(f"The lab {which.name} is down." if stopped else f"The lab {which.name} was not running.")


@lab.command
def status(*, json: Flag = False, which: Which = HERE) -> None:
    """Processes, ports, memory and health. Ends with 1 unless everything is up and well.

    Parameters
    ----------
    json
        Print JSON.
    """
    found = which.read()
    seen = look.look(which.folder, found)
    running = state.is_running(which.folder)
    if json:
        body = {"name": found.name, "running": running, "pid": found.pid if running else None, "services": seen}
        console.write(msgspec.json.format(msgspec.json.encode(body)) + b"\n")
    else:
        console.show(table.status(found, seen))
        if not running:
            console.show(f"\nThe lab {found.name} is not running.")
            if found.phase not in ("down", "failed"):
                console.show("Whatever supervised it was killed; the services went with it.")
            if found.error:
                console.show(found.error)
    if not running or any(service.health != "ok" for service in seen):
        sys.exit(ERROR)


@lab.command(name="logs")
def show_logs(
    service: str | None = None,
    /,
    *,
    follow: Annotated[bool, Parameter(alias="-f", negative=(), show_default=False)] = False,
    lines: Annotated[int, Parameter(alias="-n")] = 50,
    which: Which = HERE,
) -> None:
    """Show the ends of the services' logs.

    Parameters
    ----------
    service
        Which one; by default all.
    follow
        Go on with what is written from now on, until Ctrl-C.
    lines
        How many lines of each.
    """
    found = which.read()
    wanted = [found.service(service)] if service else found.services
    for line in logs.read({s.name: Path(s.log) for s in wanted}, lines, follow=follow):
        console.write(line)


@lab.command
def reset(*, yes: Flag = False, which: Which = HERE) -> None:
    """Remove all data of the lab. The programs that were downloaded stay.

    Parameters
    ----------
    yes
        Do not ask.
    """
    found = which.read()
    if state.is_running(which.folder):
        raise BadRequest(f"the lab {found.name} is running: stop it first with `headwater lab down{_same(which)}`")
    if not yes:
        if not sys.stdin.isatty():
            raise BadRequest("nobody can be asked here: say --yes to remove the lab's data")
        megabytes = site.size(which.folder) / (1 << 20)
        answer = console.err.input(f"Remove {which.folder} with {megabytes:,.0f} MB of data? [y/N] ", markup=False)
        if answer.strip().lower() not in ("y", "yes"):
            console.note("Nothing was removed.")
            sys.exit(ERROR)
    site.remove(which.folder)
    console.show(f"The data of the lab {found.name} is removed.")


def _same(which: Which) -> str:
    """The options that lead another command to the same lab."""
    name = f" --name {which.name}" if which.name != HERE.name else ""
    return name + (f" --data {which.data}" if which.data else "")


@contextmanager
def _download() -> Iterator[jars.Report]:
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
