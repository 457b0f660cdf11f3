"""`python -m bench`: measures everything and prints one table.

`BENCH=large` takes more and longer rounds and a larger graph, `BENCH=quick` only shows that it
works. A goal that is missed is marked; a timing is a figure and no test, so the exit code is 0.
"""

import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from bench import asking, impact, ingest, page, queries, scale, watch_connect
from bench.report import SIZES, Figure, Say, info, save, show
from bench.servers import BenchError, OtherWork, disk

OUT = Path(__file__).parent / "out" / "latest.json"


def main() -> int:
    sizes = SIZES.get(os.environ.get("BENCH") or "default")
    if sizes is None:
        print(f"BENCH is one of {', '.join(SIZES)}", file=sys.stderr)
        return 2
    # Ends like Ctrl-C: through all the `with` blocks, which stop what they started.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    parts: list[Callable[[Path, Say], list[Figure]]] = [
        lambda folder, say: ingest.empty_start(folder, say),
        lambda folder, say: ingest.intake(folder, sizes, say),
        lambda folder, say: queries.answers(folder, sizes, say),
        lambda folder, say: impact.impact(folder, sizes, say),
        lambda folder, say: [
            *scale.growth(folder, sizes, say),
            *asking.questions(folder / "many", scale.many_jobs(sizes), sizes, say),
        ],
        lambda _, say: watch_connect.watching(say),
        lambda folder, say: page.page(folder, sizes, say),
    ]
    figures: list[Figure] = []
    began, other_work = time.monotonic(), OtherWork()
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    try:
        console = Console(stderr=True)
        with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
            task = bar.add_task("")

            def say(text: str) -> None:
                bar.update(task, description=text)
                if not console.is_terminal:
                    console.print(f"{time.monotonic() - began:6.1f} s  {text}", highlight=False)

            for part in parts:
                with tempfile.TemporaryDirectory(prefix="headwater-bench-", dir=disk()) as folder:
                    figures += part(Path(folder), say)
    except BenchError as e:
        print(f"bench: {e}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("bench: stopped", file=sys.stderr)
        return 130
    busy = other_work.cores()
    figures.append(info("other work on this machine meanwhile", f"{busy:.2f} of {os.cpu_count()} cores", busy))
    minutes = (time.monotonic() - began) / 60
    save(figures, sizes, minutes, OUT)
    show(figures, sizes, minutes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
