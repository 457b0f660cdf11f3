"""`headwater serve`"""

import dataclasses
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from headwater.cli import console
from headwater.config import Settings
from headwater.server import serve as run_server
from headwater.service import Progress, Service

_DEFAULT = Settings.from_environment()


def serve(
    *,
    host: str = _DEFAULT.host,
    port: int = _DEFAULT.port,
    data: Annotated[Path, Parameter(show_default=str)] = _DEFAULT.data,
    store: str = _DEFAULT.store,
) -> None:
    """Start the server. Stop it with Ctrl-C.

    Parameters
    ----------
    host
        Address to listen on.
    port
        Port to listen on.
    data
        Folder for the log and the tables; made if it is missing.
    store
        Where the data is kept: sqlite.
    """
    settings = dataclasses.replace(_DEFAULT, host=host, port=port, data=data, store=store)

    def ready(service: Service) -> None:
        state = service.state
        jobs = sum(len(names) for names in state.jobs.values())
        console.out.print(
            f"Headwater listens on [bold]http://{settings.host}:{settings.port}[/]  "
            f"(data in {settings.data}: {state.position} events, {jobs} jobs)",
            soft_wrap=True,
            highlight=False,
        )

    run_server(settings, ready, replaying)


def replaying() -> AbstractContextManager[Progress]:
    return console.progress_bar("Replaying the log")
