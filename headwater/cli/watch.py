"""`headwater watch`: watchers that report what runs in other systems."""

import asyncio
import contextlib
import logging
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import App, Parameter
from rich.live import Live

from headwater.cli import console
from headwater.cli.query_options import Flag, Url
from headwater.connect.rest import Connect
from headwater.defaults import DEFAULT_URL
from headwater.emit.delivery import Delivery
from headwater.emit.events import Json
from headwater.emit.http_transport import http_delivery
from headwater.errors import BadRequest, Unreachable
from headwater.watch.connect import mapping as mappings
from headwater.watch.connect import state_file, status_table
from headwater.watch.connect.watcher import Options, Watcher
from headwater.watch.kafka.client import Kafka
from headwater.watch.known_runs import KnownRuns
from headwater.watch.registry.client import Registry

watch = App(name="watch", help="Watch other systems, and report what runs there as lineage.")

_LAST_SENDING = 3.0

Files = Annotated[tuple[Path, ...], Parameter(negative=(), show_default=False)]


@watch.command
def connect(
    *,
    connect: str = "http://127.0.0.1:8083",
    registry: str | None = None,
    kafka: str | None = None,
    url: Url = DEFAULT_URL,
    namespace: str = "kafka-connect",
    mapping: Files = (),
    interval: float = 2.0,
    heartbeat: float = 60.0,
    once: Flag = False,
    dry_run: Flag = False,
    state: Path | None = None,
    spool: Path | None = None,
    json: Flag = False,
) -> None:
    """Report the connectors of a Kafka Connect cluster, with datasets, columns, tasks and failures. Nothing in the
    cluster needs to change.

    Parameters
    ----------
    connect
        The REST URL of any worker, or of a load balancer in front of them.
    registry
        The schema registry, for columns (Confluent's API; Apicurio: …/apis/ccompat/v7).
    kafka
        A broker, named as in other jobs (HOST:PORT): the namespace of topics, and the source of throughput and lag.
    namespace
        The namespace of the jobs; each cluster needs its own.
    mapping
        TOML files with more connector classes.
    interval
        Seconds between two polls.
    heartbeat
        Seconds between two RUNNING events of an unchanged connector.
    once
        Poll once, send the events, show the connectors, and exit.
    dry_run
        Send nothing; with --once, to see what would be reported.
    state
        The file with the state that the next watcher resumes from.
    spool
        The folder for events that could not be sent yet.
    json
        Print JSON: the connectors with --once, else one line per event.
    """
    logging.getLogger("headwater.watch").setLevel(logging.WARNING)
    command = WatchConnect(
        connect, registry, kafka, url, Options(namespace, kafka or "", interval, heartbeat), json=json
    )
    command.mappings = mappings.load(mapping)
    if not dry_run:
        command.file = state or state_file.default_file(connect, namespace)
        command.deliver = http_delivery(url, spool)
    try:
        asyncio.run(command.run_once() if once else command.run())
    finally:
        if command.deliver is not None:
            command.deliver.close(_LAST_SENDING)


class WatchConnect:
    """Assembles a watcher from the options, and runs it."""

    def __init__(
        self, connect: str, registry: str | None, kafka: str | None, url: str, options: Options, *, json: bool
    ) -> None:
        self._connect, self._registry, self._kafka, self._url = connect, registry, kafka, url
        self._options, self._json = options, json
        self.mappings = mappings.ClassDescriptions(())
        self.file: Path | None = None
        self.deliver: Delivery | None = None
        self._print_events = False

    async def run_once(self) -> None:
        async with self._watcher() as watcher:
            await watcher.poll(whole=True)
            if watcher.health.problem:
                raise Unreachable(f"{watcher.health.problem}. Set the URL of Connect with --connect")
            if self._registry is not None or self._kafka is not None:
                await watcher.poll(whole=True)  # now with the schemas that the first poll requested
            if self._json:
                console.write(msgspec.json.format(msgspec.json.encode(status_table.rows(watcher))) + b"\n")
            else:
                console.show(status_table.table(watcher))
        if self.deliver is not None and not await asyncio.to_thread(self.deliver.flush, _LAST_SENDING):
            console.note(f"No server at {self._url}: the events are on disk, and the next watcher sends them.")

    async def run(self) -> None:
        self._print_events = self._json
        async with self._watcher() as watcher:
            task = asyncio.create_task(self._run(watcher))
            loop = asyncio.get_running_loop()
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(number, task.cancel)
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _run(self, watcher: Watcher) -> None:
        """With a live table in a terminal; a service only logs."""
        if self._json or not console.out.is_terminal:
            await watcher.run()
            return
        with Live(console=console.out, auto_refresh=False) as live:
            await watcher.run(lambda: live.update(status_table.table(watcher), refresh=True))

    @contextlib.asynccontextmanager
    async def _watcher(self) -> AsyncIterator[Watcher]:
        connect = Connect(self._connect)
        registry = Registry(self._registry) if self._registry is not None else None
        runs = KnownRuns(self._url, self._options.namespace) if self.deliver is not None else None
        kafka = _kafka(self._kafka)
        deliver = self.deliver
        watcher = Watcher(
            connect,
            self._send,
            self.mappings,
            self._options,
            known_runs=runs,
            registry=registry,
            kafka=kafka,
            file=self.file,
            sent=(lambda: deliver.flush(1.0)) if deliver is not None else (lambda: True),
        )
        try:
            yield watcher
        finally:
            for part in (connect, registry, runs):
                if part is not None:
                    await part.close()

    def _send(self, event: Json) -> None:
        if self.deliver is not None:
            self.deliver.send(event)
        if self._print_events:
            facet = event.get("run", {}).get("facets", {}).get("headwater_connect", {})
            line = {
                "time": event["eventTime"],
                "connector": event["job"]["name"],
                "event": event.get("eventType", "JOB"),
                "state": facet.get("state"),
                "problem": facet.get("problem"),
                "run": event.get("run", {}).get("runId"),
            }
            console.write(msgspec.json.encode(line) + b"\n")


def _kafka(servers: str | None) -> Kafka | None:
    """None if its client library is missing; the address still gives topics their namespace."""
    if servers is None:
        console.note("Topics need the namespace of a broker to join other lineage; set it with --kafka HOST:PORT.")
        return None
    try:
        return Kafka(servers)
    except BadRequest as e:
        console.note(str(e))
        return None
