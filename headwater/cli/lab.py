"""`headwater lab`"""

import os
import sys
import time
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import App, Parameter

from headwater.cli import console
from headwater.cli.asking import Flag
from headwater.cli.exits import ERROR
from headwater.cli.lab_options import HERE, Which, downloads
from headwater.errors import BadRequest
from headwater.lab import daemon, jars, logs, look, planning, site, state, supervisor, table, tour
from headwater.lab import ports as port_numbers
from headwater.lab.metastore import Database
from headwater.lab.screen import Screen
from headwater.lab.state import Lab

lab = App(
    name="lab",
    help="Kafka, Connect, Schema Registry, S3, an Iceberg catalog, Headwater and a pipeline on this machine.",
)
lab.command("headwater.cli.lab_jobs:run", name="run")
lab.command("headwater.cli.lab_jobs:env", name="env")


@lab.command
def up(
    *,
    services: str | None = None,
    pipeline: Flag = False,
    rate: int = site.RATE,
    metastore: Database | None = None,
    ports: str = "",
    detach: Flag = False,
    verify: Flag = False,
    which: Which = HERE,
) -> None:
    """Start the lab and watch it until Ctrl-C. What is missing is downloaded first.

    Parameters
    ----------
    services
        Only these, with commas between them, and what they need; by default all but the pipeline.
    pipeline
        Run the orders pipeline too.
    rate
        How many orders a second the pipeline gets.
    metastore
        The database of the Iceberg catalog: derby, which is part of it, or a PostgreSQL of the lab's own. A lab keeps
        the one that it began with.
    ports
        Ports that must be these: `kafka=19092,s3=19000`. Others are the usual ones or, if those are taken, any.
    detach
        Return when everything is up, and let it run.
    verify
        Compare the content of all that was downloaded before with its checksums.
    """
    plan = planning.plan(
        which.name,
        which.folder,
        os.environ,
        wanted=None if services is None else [name for name in services.split(",") if name],
        pipeline=pipeline,
        rate=rate,
        metastore=metastore,
        pinned=port_numbers.parse(ports),
    )
    if services is None and plan.spark is None:
        console.note("without the Spark history, as pyspark is not installed here (`make setup-lab` installs it)")
    with downloads() as report:
        wanted = {service.jars for service in plan.specs() if service.jars}
        jars.ensure(plan.jars, wanted, os.environ, report, thorough=verify)
    started = time.monotonic()
    stop = f"Stop it with `headwater lab down{which.again}`." if detach else "Stop it with Ctrl-C."
    told = False
    with Screen(console.err) as screen:

        def changed(now: Lab) -> None:
            nonlocal told
            screen(now)
            if now.phase == "up" and not told:
                told = True
                console.show(f"The lab {now.name} is up after {time.monotonic() - started:.0f} s.")
                console.show(table.summary(now))
                if pipeline:  # commands to copy: no line of them may be wrapped
                    console.write(f"\n{tour.text(now, which.again)}\n")
                console.show(f"\n{stop}")

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
def stop(service: str, /, *more: str, which: Which = HERE) -> None:
    """Stop a service, or some, and let the rest of the lab run on: to see what others do without it.

    Parameters
    ----------
    service
        Which one.
    more
        And which others.
    """
    with Screen(console.err) as screen:
        daemon.switch(which.folder, (service, *more), on=False, changed=screen)
    console.show(f"Stopped. Start it again with `headwater lab start {' '.join((service, *more))}{which.again}`.")


@lab.command
def start(service: str, /, *more: str, which: Which = HERE) -> None:
    """Start a service again that `headwater lab stop` has stopped.

    Parameters
    ----------
    service
        Which one.
    more
        And which others.
    """
    with Screen(console.err) as screen:
        daemon.switch(which.folder, (service, *more), on=True, changed=screen)
    console.show("Started.")


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
        raise BadRequest(f"the lab {found.name} is running: stop it first with `headwater lab down{which.again}`")
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
