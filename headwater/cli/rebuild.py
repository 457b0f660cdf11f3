"""`headwater rebuild`"""

import shutil
import time
from pathlib import Path

from headwater.cli import console
from headwater.config import Settings
from headwater.ingest import folding
from headwater.search.following import FOLDER as SEARCH_FOLDER
from headwater.store.open import open_store


def rebuild(*, data: Path | None = None) -> None:
    """Rebuild the tables from the log, and drop the search index, which the server rebuilds at its next start.
    Stop the server first.

    Parameters
    ----------
    data
        The data folder; by default HEADWATER_DATA, else your user data folder.
    """
    settings = Settings.from_environment(data=data)
    started = time.monotonic()
    with (
        open_store(settings) as (log, tables),
        console.progress_bar("Rebuilding") as report,
    ):
        state = folding.rebuild(log, tables, report)
        shutil.rmtree(settings.data / SEARCH_FOLDER, ignore_errors=True)
        log.close()
        tables.close()
    jobs = sum(len(names) for names in state.jobs.values())
    console.out.print(
        f"{state.position} events → {jobs} jobs, {len(state.nodes) - jobs} dataset names, "
        f"{len(state.edges)} edges in {time.monotonic() - started:.1f} s",
        soft_wrap=True,
    )
