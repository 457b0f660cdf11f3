"""`make demo-check`: the demo from nothing to its end, with every part looked at. Ends with 1 if one is not right."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import httpx

from headwater.emit import die_with_parent
from headwater.lab import kafka
from headwater.show.format import plain, table
from tests.demo import graph
from tests.demo.counts import Counts
from tests.demo.runs import wrong_ends
from tests.support.lab import Lab

RATE = 200
# Seconds. Far beyond what it takes on two cores, downloads apart: reaching it means that something hangs.
PATIENCE = 600.0
DOWNLOADS = 900.0
GRAPH = 120.0  # after all data is there
_PAUSE = 0.5


_NEEDED = {"kafka", "s3", "metastore", "headwater"}


class Wrong(Exception):
    """The check cannot go on."""


class Late(Wrong):
    pass


def say(text: str) -> None:
    show(f"{time.strftime('%H:%M:%S')}  {text}")


def show(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


class Check:
    def __init__(self, folder: Path) -> None:
        self.lab = Lab(folder)
        self.problems: list[str] = []
        self.figures: list[tuple[str, str]] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._began = 0.0

    def run(self) -> None:
        self._start()
        self._watch()
        self._batch()
        self._drain()
        self._note_sizes()
        self._stop()
        self._look_back()

    # The parts

    def _start(self) -> None:
        say(f"starting a lab with the pipeline in {self.lab.data}, {RATE} orders a second")
        words = ["up", "--pipeline", "--rate", str(RATE), "--data", str(self.lab.data)]
        command = [sys.executable, "-m", "headwater.cli.main", "lab", *words]
        # If this program is killed, the lab goes too.
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", die_with_parent.__file__, str(os.getpid()), "SIGKILL", "-", *command],
            stdout=subprocess.DEVNULL,
        )
        self._wait("the lab", (self.lab.data / "lab.json").exists, DOWNLOADS)
        self._began = time.monotonic()

    def _watch(self) -> None:
        """Until every part has shown itself, in whatever order, and the graph is complete."""
        self._wait("Kafka, S3, the catalog and Headwater", lambda: self._up() >= _NEEDED)
        self._counts = now = Counts(self.lab.data, self.lab.state()["values"])
        missing: dict[str, Callable[[], int]] = {
            "orders": lambda: now.records("orders"),
            "windows": lambda: now.records("supplier-stats"),
            "rows in default.orders": lambda: now.rows("orders"),
            "dead letters": lambda: now.records("orders-dead-letters"),
            "archived orders": now.archived,
            "rows in default.orders_connect": lambda: now.rows("orders_connect"),
            "rows in default.supplier_stats": lambda: now.rows("supplier_stats"),
        }

        def all_there() -> bool:
            for what, count in list(missing.items()):
                with suppress(kafka.ProtocolError, OSError, httpx.HTTPError):  # it is just being made
                    if number := count():
                        del missing[what]
                        say(f"{self._age():4.0f} s  {what}: {number:,}")
            return not missing

        self._wait(lambda: ", ".join(missing), all_there)
        self._flow = time.monotonic(), now.records("orders")
        try:
            self._wait("the complete graph", lambda: not self._differences(), GRAPH)
            say(f"{self._age():4.0f} s  the complete graph")
            self._figure("seconds to the complete graph", f"{self._age():.0f}")
        except Late as e:
            self.problems.append(str(e))
        self._wait("the lab to be up", lambda: self.lab.state()["phase"] == "up")

    def _batch(self) -> None:
        say("the batch, on demand")
        done = self.lab.run("run", "supplier_stats")
        if done.returncode != 0:
            self.problems.append(
                f"`headwater lab run supplier_stats` ended with {done.returncode}: {done.stderr[-2000:]}"
            )
        for line in done.stdout.splitlines():
            say(line)

    def _drain(self) -> None:
        """No more orders; what was made must be somewhere, to the last one."""
        now, (began, before) = self._counts, self._flow
        rate = (now.records("orders") - before) / (time.monotonic() - began)
        self._succeed("stop", "orders", "odd_orders")
        made = now.made()
        say(f"no more orders: {made:,} were made; waiting until each of them is in its place")

        paths: dict[str, Callable[[], int]] = {
            "default.orders": lambda: now.rows("orders") + now.dead().total(),
            "the archive": lambda: now.archived() + now.records("orders-s3-dead-letters"),
            # It takes no notice of records without a value.
            "default.orders_connect": lambda: (
                now.rows("orders_connect") + now.records("orders-iceberg-dead-letters") + now.dead()["null value"]
            ),
        }
        for where, count in paths.items():
            self._wait(f"the last order in {where} or its dead letters", partial(_at_least, count, made))
            if (total := count()) != made:
                self.problems.append(f"{made:,} orders were produced, {total:,} are in {where} or its dead letters")
        rows, dead, archived = now.rows("orders"), now.dead().total(), now.archived()
        self._figure("orders a second", f"{rate:,.0f}")
        self._figure("orders made", f"{made:,}")
        self._figure("windows written", f"{now.records('supplier-stats'):,}")
        self._figure("rows in default.orders", f"{rows:,}")
        self._figure("rows in default.orders_connect", f"{now.rows('orders_connect'):,}")
        self._figure("rows in default.supplier_stats", f"{now.rows('supplier_stats'):,}")
        self._figure("dead letters", f"{dead:,}")
        self._figure("archived", f"{archived:,}")

    def _note_sizes(self) -> None:
        self.problems += [*self._differences(), *graph.changed_schemas(self._api())]
        for what, count in graph.Answers(self._api()).counts().items():
            self._figure(f"{what} in the graph", f"{count:,}")
        memory = sum(service["memory"] or 0 for service in self.lab.status()["services"])
        self._figure("memory of everything", f"{memory / (1 << 30):.1f} GB")

    def _stop(self) -> None:
        say("Ctrl-C")
        assert self._process is not None
        self._process.send_signal(signal.SIGINT)
        began = time.monotonic()
        code = self._process.wait(PATIENCE)
        say(f"down after {time.monotonic() - began:.0f} s")
        if code != 0:
            self.problems.append(f"the lab ended with code {code}")
        if left := self.lab.processes():
            self.problems.append(f"processes of the lab are left: {left}")

    def _look_back(self) -> None:
        """The runs after everything has ended, from the lab's Headwater alone."""
        self._succeed("up", "--detach", "--services", "headwater")
        runs = self._api().runs()
        self._succeed("down")
        for state, count in sorted(Counter(run["state"] for run in runs).items()):
            self._figure(f"runs {state}", f"{count}")
        self.problems += wrong_ends(runs)

    # Help

    def end(self) -> None:
        """Whatever happened, nothing stays behind."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(120)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self.lab.run("down")

    def _age(self) -> float:
        return time.monotonic() - self._began

    def _up(self) -> set[str]:
        return {service["name"] for service in self.lab.state()["services"] if service["phase"] == "up"}

    def _alive(self) -> None:
        assert self._process is not None
        if self._process.poll() is not None:
            raise Wrong(f"the lab ended by itself with code {self._process.returncode}")

    def _wait(self, what: str | Callable[[], str], condition: Callable[[], bool], seconds: float = PATIENCE) -> None:
        until = time.monotonic() + seconds
        while not condition():
            self._alive()
            if time.monotonic() > until:
                raise Late(f"waited {seconds:.0f} s for {what if isinstance(what, str) else what()}")
            time.sleep(_PAUSE)

    def _succeed(self, *words: str) -> None:
        done = self.lab.run(*words)
        if done.returncode != 0:
            raise Wrong(f"`headwater lab {' '.join(words)}` ended with {done.returncode}: {done.stderr[-2000:]}")

    def _api(self) -> graph.Api:
        return graph.Api(self.lab.url("headwater"))

    def _differences(self) -> list[str]:
        expected = graph.expected(self.lab.state()["values"])
        return graph.differences(expected, graph.Answers(self._api()).graph())

    def _figure(self, what: str, value: str) -> None:
        self.figures.append((what, value))


def _at_least(count: Callable[[], int], minimum: int) -> bool:
    return count() >= minimum


def main() -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # in either case nothing may stay behind
    folder = Path(tempfile.mkdtemp(prefix="headwater-demo-check-"))
    check = Check(folder)
    began = time.monotonic()
    try:
        check.run()
    except Wrong as e:
        check.problems.append(str(e))
    except KeyboardInterrupt:
        check.problems.append("interrupted")
    finally:
        check.end()
    made = table("", "")
    for what, value in check.figures:
        made.add_row(what, value)
    show(f"\n{plain(made)}")
    if check.problems:
        show("\n".join(["Not right:", *(f"- {problem}" for problem in check.problems)]))
        show(f"The logs are in {folder / 'logs'}.")
        return 1
    shutil.rmtree(folder)
    show(f"All is right, in {time.monotonic() - began:.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
