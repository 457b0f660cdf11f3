"""`headwater serve`"""

from contextlib import AbstractContextManager
from pathlib import Path

from rich.markup import escape

from headwater.cli import console
from headwater.cli.asking import Flag, Several
from headwater.config import Settings
from headwater.ingest.folding import Progress
from headwater.ingest.service import Service
from headwater.server import serve as run_server

# Fewer events than this are loaded before anyone could read a message about it.
_SHOWN_FROM = 20_000


def serve(
    *,
    host: str | None = None,
    port: int | None = None,
    data: Path | None = None,
    store: str | None = None,
    connect: Several = (),
    operate: Flag = False,
) -> None:
    """Start the server. Stop it with Ctrl-C.

    Parameters
    ----------
    host
        Address to listen on; 127.0.0.1 unless HEADWATER_HOST says otherwise.
    port
        Port to listen on; 5000 unless HEADWATER_PORT says otherwise.
    data
        Folder for the log and the tables, made if it is missing; HEADWATER_DATA, else your
        data folder.
    store
        Where the data is kept; sqlite is the only one.
    connect
        A Kafka Connect cluster to show, as NAME=URL; NAME is the namespace that its watcher uses. Repeatable;
        HEADWATER_CONNECT has them with commas.
    operate
        Let clients of this server create, change, pause, restart and delete connectors there. Without it they can
        only look.
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
