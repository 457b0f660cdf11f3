"""`headwater lab`"""

import os
import sys
import time
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import App, Parameter

from headwater.cli import console, lab_jobs
from headwater.cli.exits import ERROR
from headwater.cli.lab_options import DEFAULT, LabOptions, downloads
from headwater.cli.query_options import Flag
from headwater.errors import BadRequest
from headwater.lab import daemon, folder, jars, logs, state, supervisor, table, walkthrough
from headwater.lab import ports as port_numbers
from headwater.lab.metastore import Database
from headwater.lab.plan import RATE, make_plan
from headwater.lab.screen import Screen
from headwater.lab.state import Lab
from headwater.lab.status import read_status

lab = App(
    name="lab",
    help="Kafka, Connect, Schema Registry, S3, an Iceberg catalog, Headwater and a pipeline on this machine.",
)
lab.command(lab_jobs.run)
lab.command(lab_jobs.env)


@lab.command
def up(
    *,
    services: str | None = None,
    pipeline: Flag = False,
    rate: int = RATE,
    metastore: Database | None = None,
    ports: Annotated[str, Parameter(show_default=False)] = "",
    detach: Flag = False,
    verify: Flag = False,
    options: LabOptions = DEFAULT,
) -> None:
    """Start the lab and watch it until Ctrl-C. Downloads what is missing first.

    Parameters
    ----------
    services
        Only these, separated by commas, and what they need; by default all but the pipeline.
    pipeline
        Run the orders pipeline too.
    rate
        Orders a second for the pipeline.
    metastore
        The database of the Iceberg catalog: derby, which is built in, or a PostgreSQL of the lab's own. It cannot be
        changed after the first start.
    ports
        Fixed ports: `kafka=19092,s3=19000`. Others are the usual ones or, if those are in use, any free ones.
    detach
        Return when everything is up, and keep it running in the background.
    verify
        Verify the checksums of earlier downloads.
    """
    plan = make_plan(
        options.name,
        options.folder,
        os.environ,
        names=None if services is None else [name for name in services.split(",") if name],
        pipeline=pipeline,
        rate=rate,
        metastore=metastore,
        pinned=port_numbers.parse(ports),
    )
    if services is None and plan.spark is None:
        console.note("The Spark history is left out: pyspark is not installed (`make setup-lab`).")
    with downloads() as report:
        groups = {spec.jars for spec in plan.specs() if spec.jars}
        jars.ensure(plan.jars, groups, os.environ, report, thorough=verify)
    started = time.monotonic()
    stop = f"Stop it with `headwater lab down{options.arguments}`." if detach else "Stop it with Ctrl-C."
    announced = False
    with Screen(console.err) as screen:

        def changed(now: Lab) -> None:
            nonlocal announced
            screen(now)
            if now.phase == "up" and not announced:
                announced = True
                console.show(f"The lab {now.name} is up after {time.monotonic() - started:.0f} s.")
                console.show(table.summary(now))
                if pipeline:  # commands to copy, so no line may be wrapped
                    console.write(f"\n{walkthrough.text(now, options.arguments)}\n")
                console.show(f"\n{stop}")

        if detach:
            daemon.detach(plan, changed)
        else:
            supervisor.run(plan, daemon.reserve(), changed)
            console.show(f"The lab {options.name} is down.")


@lab.command
def down(*, options: LabOptions = DEFAULT) -> None:
    """Stop the lab. Its data stays."""
    options.read_lab()
    with Screen(console.err) as screen:
        stopped = daemon.stop(options.folder, screen)
    console.show(f"The lab {options.name} is down." if stopped else f"The lab {options.name} was not running.")


@lab.command
def stop(service: str, /, *more: str, options: LabOptions = DEFAULT) -> None:
    """Stop one or more services while the rest of the lab runs on, to see what the others do without them.

    Parameters
    ----------
    service
        The service.
    more
        More services.
    """
    with Screen(console.err) as screen:
        daemon.switch(options.folder, (service, *more), on=False, changed=screen)
    console.show(f"Stopped. Start again with `headwater lab start {' '.join((service, *more))}{options.arguments}`.")


@lab.command
def start(service: str, /, *more: str, options: LabOptions = DEFAULT) -> None:
    """Start services again that `headwater lab stop` has stopped.

    Parameters
    ----------
    service
        The service.
    more
        More services.
    """
    with Screen(console.err) as screen:
        daemon.switch(options.folder, (service, *more), on=True, changed=screen)
    console.show("Started.")


@lab.command
def status(*, json: Flag = False, options: LabOptions = DEFAULT) -> None:
    """Show processes, ports, memory and health. Exits with code 1 unless everything is up and healthy.

    Parameters
    ----------
    json
        Print JSON.
    """
    now = options.read_lab()
    services = read_status(options.folder, now)
    running = state.is_running(options.folder)
    if json:
        body = {"name": now.name, "running": running, "pid": now.pid if running else None, "services": services}
        console.write(msgspec.json.format(msgspec.json.encode(body)) + b"\n")
    else:
        console.show(table.status(now, services))
        if not running:
            console.show(f"\nThe lab {now.name} is not running.")
            if now.phase not in ("down", "failed"):
                console.show("Its supervisor was killed, and the services with it.")
            if now.error:
                console.show(now.error)
    if not running or any(service.health != "ok" for service in services):
        sys.exit(ERROR)


@lab.command(name="logs")
def show_logs(
    service: str | None = None,
    /,
    *,
    follow: Annotated[bool, Parameter(alias="-f", negative=(), show_default=False)] = False,
    lines: Annotated[int, Parameter(alias="-n")] = 50,
    options: LabOptions = DEFAULT,
) -> None:
    """Show the last lines of the services' logs.

    Parameters
    ----------
    service
        The service; by default all.
    follow
        Keep printing new lines until Ctrl-C.
    lines
        How many lines of each log.
    """
    now = options.read_lab()
    chosen = [now.service(service)] if service else now.services
    for line in logs.read({s.name: Path(s.log) for s in chosen}, lines, follow=follow):
        console.write(line)


@lab.command
def reset(*, yes: Flag = False, options: LabOptions = DEFAULT) -> None:
    """Remove all data of the lab. Downloaded programs stay.

    Parameters
    ----------
    yes
        Do not ask for confirmation.
    """
    now = options.read_lab()
    if state.is_running(options.folder):
        raise BadRequest(f"the lab {now.name} is running; stop it first with `headwater lab down{options.arguments}`")
    if not yes:
        if not sys.stdin.isatty():
            raise BadRequest("confirm with --yes that the lab's data is to be removed")
        megabytes = folder.size(options.folder) / (1 << 20)
        answer = console.err.input(f"Remove {options.folder} with {megabytes:,.0f} MB of data? [y/N] ", markup=False)
        if answer.strip().lower() not in ("y", "yes"):
            console.note("Nothing was removed.")
            sys.exit(ERROR)
    folder.remove(options.folder)
    console.show(f"The data of the lab {now.name} is removed.")
