"""`headwater watch`: watchers that tell what runs elsewhere."""

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
from headwater.cli.asking import Flag, Url
from headwater.client.client import URL
from headwater.connect.rest import Connect
from headwater.emit import http_transport
from headwater.emit.delivery import Delivery
from headwater.emit.events import Json
from headwater.errors import BadRequest, Unreachable
from headwater.watch.connect import mapping as mappings
from headwater.watch.connect import memory, status_table
from headwater.watch.connect.watcher import Options, Watcher
from headwater.watch.kafka.client import Kafka
from headwater.watch.known_runs import KnownRuns
from headwater.watch.registry.client import Registry

watch = App(name="watch", help="Watch what runs elsewhere, and tell it as lineage.")

_LAST_SENDING = 3.0

Files = Annotated[tuple[Path, ...], Parameter(negative=(), show_default=False)]


@watch.command
def connect(
    *,
    connect: str = "http://127.0.0.1:8083",
    registry: str | None = None,
    kafka: str | None = None,
    url: Url = URL,
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
    """Watch a Kafka Connect cluster: its connectors' datasets, columns, tasks and failures, without a change to it.

    Parameters
    ----------
    connect
        The REST address of any worker, or of what stands before them.
    registry
        The schema registry, for columns (Confluent's API; Apicurio: …/apis/ccompat/v7).
    kafka
        A broker, as other jobs name it (HOST:PORT): topics are named after it, and asked for throughput and lag.
    namespace
        The namespace of the jobs; each cluster needs one of its own.
    mapping
        TOML files with more connector classes.
    interval
        Seconds between two looks.
    heartbeat
        Seconds between two RUNNING events of a connector of which nothing changes.
    once
        Look once, tell it, show it, and end.
    dry_run
        Tell nothing; with --once, only to see what would be told.
    state
        The file that keeps what the next watcher has to know.
    spool
        The folder for events that wait for the server.
    json
        Print JSON: with --once what is seen, else one line for each event that is told.
    """
    logging.getLogger("headwater.watch").setLevel(logging.WARNING)
    seen = Watch(connect, registry, kafka, url, Options(namespace, kafka or "", interval, heartbeat), json=json)
    seen.known = mappings.load(mapping)
    if not dry_run:
        seen.file = state or memory.default_file(connect, namespace)
        seen.deliver = http_transport.delivery(url, spool)
    try:
        asyncio.run(seen.once() if once else seen.on())
    finally:
        if seen.deliver is not None:
            seen.deliver.close(_LAST_SENDING)


class Watch:
    """The parts of a watcher for one command."""

    def __init__(
        self, connect: str, registry: str | None, kafka: str | None, url: str, options: Options, *, json: bool
    ) -> None:
        self._at, self._registry, self._kafka, self._url = connect, registry, kafka, url
        self._options, self._json = options, json
        self.known = mappings.Known(())
        self.file: Path | None = None
        self.deliver: Delivery | None = None
        self._lines = False

    async def once(self) -> None:
        async with self._watcher() as watcher:
            await watcher.poll(whole=True)
            if watcher.trouble:
                raise Unreachable(f"{watcher.trouble}. Say where Connect is with --connect")
            if self._registry is not None or self._kafka is not None:
                await watcher.poll(whole=True)  # with the schemas that the first look made us ask for
            if self._json:
                console.write(msgspec.json.format(msgspec.json.encode(status_table.rows(watcher))) + b"\n")
            else:
                console.show(status_table.table(watcher))
        if self.deliver is not None and not await asyncio.to_thread(self.deliver.flush, _LAST_SENDING):
            console.note(f"No server at {self._url}: the events wait on disk, and the next watcher sends them.")

    async def on(self) -> None:
        self._lines = self._json
        async with self._watcher() as watcher:
            task = asyncio.create_task(self._shown(watcher))
            loop = asyncio.get_running_loop()
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(number, task.cancel)
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _shown(self, watcher: Watcher) -> None:
        """A table for people; a service says only what is worth a line in its log."""
        if self._json or not console.out.is_terminal:
            await watcher.run()
            return
        with Live(console=console.out, auto_refresh=False) as live:
            await watcher.run(lambda: live.update(status_table.table(watcher), refresh=True))

    @contextlib.asynccontextmanager
    async def _watcher(self) -> AsyncIterator[Watcher]:
        connect = Connect(self._at)
        registry = Registry(self._registry) if self._registry is not None else None
        runs = KnownRuns(self._url, self._options.namespace) if self.deliver is not None else None
        kafka = _kafka(self._kafka)
        deliver = self.deliver
        watcher = Watcher(
            connect,
            self._send,
            self.known,
            self._options,
            runs_known=runs,
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
        if self._lines:
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
    """Without its client, the address still names the topics."""
    if servers is None:
        console.note("Topics are named after a broker: say which with --kafka HOST:PORT, or they join nothing else.")
        return None
    try:
        return Kafka(servers)
    except BadRequest as e:
        console.note(str(e))
        return None
