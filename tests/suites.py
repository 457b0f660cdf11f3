"""`python -m tests.suites [NAME…]`: runs suites side by side, and ends with a table: suite, tests, seconds.

Suites wait more than they work (for servers, brokers, Spark, a browser), so a few of them share the machine. Each has
processes and ports of its own. What a suite prints is shown when it fails.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from headwater.show.format import plain, table
from tests.support.ports import SUITE_NUMBER

_PAUSE_SECONDS = 0.2
_PERCENT = re.compile(r"\[ *(\d+)%\]")
_COUNT = re.compile(r"([\d,]+) (passed|failed|errors?|skipped|deselected)\b")


@dataclass
class Suite:
    """Folders of tests, or another command that says how many checks it made."""

    name: str
    command: tuple[str, ...]
    counts: bool = True


def _pytest(name: str, *folders: str, processes: int = 1) -> Suite:
    """A file's tests share servers, so they stay in one process."""
    split = ("-n", str(processes), "--dist", "loadfile") if processes > 1 else ()
    return Suite(name, (sys.executable, "-m", "pytest", *(f"tests/{folder}" for folder in folders), *split))


# The longest first, so that none is left over at the end.
SUITES = (
    _pytest("connect", "connect"),
    _pytest("spark", "spark"),
    _pytest("integration", "integration", processes=3),
    _pytest("pipeline", "pipeline"),
    _pytest("lab", "lab"),
    _pytest("browser", "browser"),
    _pytest("unit", "unit", "contract", "scenarios", processes=2),
    Suite("demo-check", (sys.executable, "-m", "tests.demo"), counts=False),
    Suite("conformance", (sys.executable, "-m", "tests.conformance", os.environ.get("SPEC", ""))),
    Suite("page", ("make", "-s", "page-check")),
    Suite("check", ("make", "-s", "check"), counts=False),
)
_AT_ONCE = 4


@dataclass
class Outcome:
    suite: Suite
    seconds: float
    code: int
    counts: dict[str, int]

    @property
    def passed(self) -> int:
        return self.counts.get("passed", 0)

    @property
    def failed(self) -> int:
        return self.counts.get("failed", 0) + self.counts.get("error", 0)

    @property
    def is_good(self) -> bool:
        """A suite without tests proves nothing. In CI no test may be skipped; elsewhere some need root."""
        proves_something = self.passed > 0 or not self.suite.counts
        may_skip = "CI" not in os.environ
        return self.code == 0 and proves_something and (may_skip or not self.counts.get("skipped"))


@dataclass
class _Running:
    suite: Suite
    output: IO[bytes]
    process: "subprocess.Popen[bytes]"
    bar: TaskID
    began: float = field(default_factory=time.monotonic)

    def text(self) -> str:
        self.output.seek(0)
        return self.output.read().decode(errors="replace")

    def percent(self) -> int:
        return int(next(reversed(_PERCENT.findall(self.text())), 0))

    def outcome(self) -> Outcome:
        counts: dict[str, int] = {}
        for line in reversed(self.text().splitlines() if self.suite.counts else ()):
            if counts := {kind.removesuffix("s"): int(n.replace(",", "")) for n, kind in _COUNT.findall(line)}:
                break
        return Outcome(self.suite, time.monotonic() - self.began, self.process.returncode, counts)


class Runner:
    def __init__(self, console: Console, folder: Path) -> None:
        self._console, self._folder = console, folder
        self._progress = Progress(
            TextColumn("{task.description:<12}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._running: list[_Running] = []
        self.outcomes: list[Outcome] = []

    def run(self, suites: list[Suite]) -> None:
        waiting = list(suites)
        with self._progress:
            try:
                while waiting or self._running:
                    while waiting and len(self._running) < _AT_ONCE:
                        self._start(waiting.pop(0))
                    time.sleep(_PAUSE_SECONDS)
                    for running in list(self._running):
                        self._look_at(running)
            finally:
                self._end_all()

    def _start(self, suite: Suite) -> None:
        if not self._console.is_terminal:
            self._console.print(f"{time.strftime('%H:%M:%S')}  {suite.name} …")
        output = (self._folder / f"{suite.name}.log").open("w+b")
        number = [each.name for each in SUITES].index(suite.name)
        process = subprocess.Popen(
            suite.command,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, SUITE_NUMBER: str(number), "COLUMNS": "120"},
            # Ctrl-C is for us: we pass it on, and wait until the suite has ended what it started. Shells let what they
            # start in the background ignore it.
            start_new_session=True,
            preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
        )
        self._running.append(_Running(suite, output, process, self._progress.add_task(suite.name, total=100)))

    def _look_at(self, running: _Running) -> None:
        if running.process.poll() is None:
            self._progress.update(running.bar, completed=running.percent())
            return
        self._running.remove(running)
        self._progress.update(running.bar, completed=100)
        outcome = running.outcome()
        self.outcomes.append(outcome)
        counted = ", ".join(f"{n:,} {kind}" for kind, n in outcome.counts.items())
        counted = counted or ("fine" if outcome.is_good else f"exit code {outcome.code}")
        self._console.print(f"{time.strftime('%H:%M:%S')}  {running.suite.name}: {counted} in {outcome.seconds:.0f} s")
        if not outcome.is_good:
            self._console.print(f"\n{running.text()}\n", soft_wrap=True)
        running.output.close()

    def _end_all(self) -> None:
        for running in self._running:
            running.process.send_signal(signal.SIGINT)
        for running in self._running:
            running.process.wait()
            running.output.close()


def main(names: list[str]) -> int:
    known = {suite.name: suite for suite in SUITES if suite.name != "conformance" or "SPEC" in os.environ}
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"no suite {unknown[0]!r}; available: {', '.join(known)}")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # in either case nothing may stay behind
    console = Console(highlight=False, markup=False, emoji=False)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="headwater-suites-") as folder:
        runner = Runner(console, Path(folder))
        try:
            runner.run([suite for name, suite in known.items() if name in (names or known)])
        except KeyboardInterrupt:
            return 130
    outcomes = runner.outcomes
    summary = table("suite", "tests", "seconds")
    for outcome in outcomes:
        summary.add_row(
            outcome.suite.name, f"{outcome.passed:,}" if outcome.suite.counts else "–", f"{outcome.seconds:.0f}"
        )
    summary.add_row("all", f"{sum(outcome.passed for outcome in outcomes):,}", f"{time.monotonic() - began:.0f}")
    console.print(f"\n{plain(summary)}")
    bad = [outcome for outcome in outcomes if not outcome.is_good]
    if bad:
        console.print(f"failed: {', '.join(outcome.suite.name for outcome in bad)}")
    passed, failed = sum(outcome.passed for outcome in outcomes), sum(max(outcome.failed, 1) for outcome in bad)
    console.print(f"{passed} passed, {failed} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
