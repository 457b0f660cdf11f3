"""`headwater serve`"""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.markup import escape

from headwater.cli import console
from headwater.cli.query_options import Flag, Repeatable
from headwater.config import Settings
from headwater.defaults import DEFAULT_HOST, DEFAULT_PORT
from headwater.ingest.folding import Progress
from headwater.ingest.service import Service
from headwater.server import serve as run_server

# Fewer events than this load faster than anyone could read a message about it.
_SHOWN_FROM = 20_000

Host = Annotated[str | None, Parameter(help=f"Address to listen on; by default HEADWATER_HOST, else {DEFAULT_HOST}.")]
Port = Annotated[int | None, Parameter(help=f"Port to listen on; by default HEADWATER_PORT, else {DEFAULT_PORT}.")]


def serve(
    *,
    host: Host = None,
    port: Port = None,
    data: Path | None = None,
    store: str | None = None,
    connect: Repeatable = (),
    operate: Flag = False,
) -> None:
    """Start the server. Stop it with Ctrl-C.

    Parameters
    ----------
    data
        Folder for the log and the tables, created if missing; by default HEADWATER_DATA, else your user data folder.
    store
        The storage engine; only sqlite.
    connect
        A Kafka Connect cluster to show, as NAME=URL; NAME is the namespace that its watcher uses. Repeatable; or
        HEADWATER_CONNECT, separated by commas.
    operate
        Allow clients of this server to create, change, pause, restart and delete connectors. Without it they can
        only read.
    """
    settings = Settings.from_environment(
        host=host,
        port=port,
        data=data,
        store=store,
        connect=",".join(connect) or None,
        operate=operate or None,
    )

    def ready(service: Service) -> None:
        state = service.state
        jobs = sum(len(names) for names in state.jobs.values())
        console.out.print(
            f"Headwater listens on [bold]http://{settings.host}:{settings.port}[/]  "
            f"(data in {escape(str(settings.data))}: {state.position} events, {jobs} jobs)",
            soft_wrap=True,
        )

    run_server(settings, ready, loading)


def loading(events: int) -> AbstractContextManager[Progress]:
    return console.progress_bar(f"Loading the graph of {events:,} events", at_once=events > _SHOWN_FROM)
