"""`headwater rebuild`"""

import time
from pathlib import Path

from headwater import service
from headwater.cli import console
from headwater.config import Settings
from headwater.store.open import open_store


def rebuild(*, data: Path | None = None) -> None:
    """Make the tables anew from the log. The server must not be running.

    Parameters
    ----------
    data
        Folder with the log; HEADWATER_DATA, else your data folder.
    """
    started = time.monotonic()
    with (
        open_store(Settings.from_environment(data=data)) as (log, tables),
        console.progress_bar("Rebuilding") as report,
    ):
        state = service.rebuild(log, tables, report)
        log.close()
        tables.close()
    jobs = sum(len(names) for names in state.jobs.values())
    console.out.print(
        f"{state.position} events → {jobs} jobs, {len(state.nodes) - jobs} dataset names, "
        f"{len(state.edges)} edges in {time.monotonic() - started:.1f} s",
        soft_wrap=True,
    )
