"""Figures, their goals, and the one table that shows them."""

import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from headwater import __version__

Progress = Callable[[str], None]
"""Called with what is measured next."""


class Figure(msgspec.Struct, frozen=True):
    what: str
    text: str  # as the table shows it
    value: float
    goal: str = ""
    ok: bool | None = None  # None without a goal, or if the measurement does not decide it
    doubt: str = ""  # why the measurement does not decide it


class Sizes(msgspec.Struct, frozen=True):
    """How much is measured; the goals are the same."""

    name: str
    rounds: int
    seconds: float  # of one round
    queries: int
    many_jobs: int
    few_jobs: int = 1000
    connections: int = 32
    runs_of_each: int = 4  # of many jobs, after the first one
    runs_of_one: int = 20_000
    questions: int = 100_000  # over which the growth of memory is measured


SIZES = {
    "quick": Sizes("quick", rounds=1, seconds=2, queries=5, many_jobs=5_000, runs_of_one=1000, questions=5000),
    "default": Sizes("default", rounds=3, seconds=5, queries=20, many_jobs=100_000),
    "large": Sizes("large", rounds=7, seconds=15, queries=100, many_jobs=250_000, runs_of_each=9),
}


def info(what: str, text: str, value: float) -> Figure:
    return Figure(what, text, value)


def at_least(what: str, value: float, goal: float, text: str, goal_text: str) -> Figure:
    return Figure(what, text, value, f"≥ {goal_text}", value >= goal)


def at_most(what: str, value: float, goal: float, text: str, goal_text: str) -> Figure:
    return Figure(what, text, value, f"≤ {goal_text}", value <= goal)


def doubted(figure: Figure, why: str) -> Figure:
    """A goal that seems met, but by a measurement biased that way. A miss stays a miss."""
    return replace(figure, ok=None, doubt=why) if figure.ok else figure


def median_of(values: Sequence[float]) -> float:
    return statistics.median(values)


def timed(work: Callable[[], object], times: int) -> float:
    """Median seconds of one call, without the first."""
    work()
    seconds = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)


def show(figures: Sequence[Figure], sizes: Sizes, minutes: float) -> None:
    missed, unclear = sum(f.ok is False for f in figures), sum(bool(f.doubt) for f in figures)
    summary = f"{missed} missed, {unclear} unclear" if missed or unclear else "all met"
    table = Table(
        title=f"headwater bench ({sizes.name}, {os.cpu_count()} cores, {minutes:.1f} minutes): goals {summary}",
        title_justify="left",
    )
    for name in ("what", "figure", "goal", "ok?"):
        table.add_column(name, overflow="fold")
    for figure in figures:
        mark = {True: "[green]yes[/]", False: "[bold red]MISSED[/]", None: f"[yellow]{figure.doubt}[/]"}[figure.ok]
        table.add_row(escape(figure.what), escape(figure.text), figure.goal, mark)
    # Into a file or pipe, rich would cut the table to 80 columns.
    console = Console(width=None if os.isatty(1) else 140)
    console.print(table)


def save(figures: Sequence[Figure], sizes: Sizes, minutes: float, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    body = {
        "version": __version__,
        "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "minutes": round(minutes, 1),
        "sizes": sizes,
        "figures": figures,
    }
    path.write_bytes(msgspec.json.format(msgspec.json.encode(body), indent=2))
