"""`python -m bench`: measures everything and prints one table.

`BENCH=large` runs more and longer rounds on a larger graph, `BENCH=quick` only shows that it works.
Missed goals are marked; a timing is not a test, so the exit code is 0.
"""

import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.progress import Progress as ProgressBar
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

from bench import impact, ingest, large_answers, page, query_latency, scale, watch_connect
from bench.report import SIZES, Figure, Progress, info, save, show
from bench.servers import BenchError, OtherWork, disk

OUT = Path(__file__).parent / "out" / "latest.json"


def main() -> int:
    sizes = SIZES.get(os.environ.get("BENCH") or "default")
    if sizes is None:
        print(f"bench: BENCH must be one of {', '.join(SIZES)}", file=sys.stderr)
        return 2
    # Ends like Ctrl-C, through all `with` blocks, which stop what they started.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    parts: list[Callable[[Path, Progress], list[Figure]]] = [
        lambda folder, progress: ingest.empty_start(folder, progress),
        lambda folder, progress: ingest.ingest(folder, sizes, progress),
        lambda folder, progress: large_answers.large_answers(folder, sizes, progress),
        lambda folder, progress: impact.impact(folder, sizes, progress),
        lambda folder, progress: [
            *scale.growth(folder, sizes, progress),
            *query_latency.latencies(folder / "many", scale.many_jobs(sizes), sizes, progress),
        ],
        lambda _, progress: watch_connect.watching(progress),
        lambda folder, progress: page.page(folder, sizes, progress),
    ]
    figures: list[Figure] = []
    began, other_work = time.monotonic(), OtherWork()
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    try:
        console = Console(stderr=True)
        with ProgressBar(*columns, console=console, disable=not console.is_terminal) as bar:
            task = bar.add_task("")

            def progress(text: str) -> None:
                bar.update(task, description=text)
                if not console.is_terminal:
                    console.print(f"{time.monotonic() - began:6.1f} s  {text}", highlight=False)

            for part in parts:
                with tempfile.TemporaryDirectory(prefix="headwater-bench-", dir=disk()) as folder:
                    figures += part(Path(folder), progress)
    except BenchError as e:
        print(f"bench: {e}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("bench: interrupted", file=sys.stderr)
        return 130
    busy = other_work.cores()
    figures.append(info("other work on this machine", f"{busy:.2f} of {os.cpu_count()} cores", busy))
    minutes = (time.monotonic() - began) / 60
    save(figures, sizes, minutes, OUT)
    show(figures, sizes, minutes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
