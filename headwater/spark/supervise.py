"""`python -m headwater.spark.supervise -- COMMAND…`: a parent for a Spark job that may be killed.

It runs the command, restarts it when it dies, and reports the end of the runs that it left open.
"""

import argparse
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from headwater.emit import die_with_parent
from headwater.emit.delivery import SPOOL_BYTES, Delivery
from headwater.emit.open_runs import SUPERVISED, EndedRuns, end_runs
from headwater.emit.transports import make_transport

FIRST_PAUSE, LAST_PAUSE = 1.0, 60.0
# After a run of this length the count of restarts begins again: the next death is not another of the same kind.
STABLE = 60.0
# What the command started ends by itself when the command is gone (Spark's JVM at once); if not, it is killed.
GRACE = 10.0
SENDING = 3.0
NOT_FOUND = (126, 127)  # exit codes of shells: a restart would not help


class Supervisor:
    def __init__(self, command: Sequence[str], restarts: int | None, pause: float, notes: Path) -> None:
        self._command, self._restarts, self._first_pause, self._notes = command, restarts, pause, notes
        self._child: subprocess.Popen[bytes] | None = None
        self._signal: int | None = None  # to end
        self._deliveries: list[Delivery] = []

    def run(self) -> int:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._pass_on)
        restarts = 0
        try:
            while True:
                began = time.monotonic()
                code = self._run_once()
                took = time.monotonic() - began
                restarts = 0 if took >= STABLE else restarts
                if code == 0 or self._signal is not None or code in NOT_FOUND:
                    return _exit_code(code)
                if self._restarts is not None and restarts >= self._restarts:
                    _say(f"giving up after {restarts} restarts" if restarts else "not restarted")
                    return _exit_code(code)
                pause = min(self._first_pause * 2**restarts, LAST_PAUSE)
                restarts += 1
                _say(f"restart {restarts} in {pause:g} s")
                if not self._sleep(pause):
                    return _exit_code(code)
        finally:
            for delivery in self._deliveries:
                delivery.close(SENDING)

    def _run_once(self) -> int:
        """The command's exit code, negative for a signal as subprocess has it."""
        began = time.monotonic()
        tie = [sys.executable, "-I", "-S", die_with_parent.__file__, str(os.getpid()), "SIGTERM", "-"]
        # A group of its own, so that all that it started can be ended with it; and Ctrl-C reaches only us.
        self._child = subprocess.Popen(  # noqa: S603 running it is our purpose
            [*tie, *self._command], start_new_session=True, env=os.environ | {SUPERVISED: str(self._notes)}
        )
        if self._signal is not None:  # just before there was a child to pass it on to
            self._child.send_signal(self._signal)
        code = self._child.wait()
        how = _how(code)
        if code != 0:
            _say(
                f"{shlex.join(self._command)} (process {self._child.pid}) {how} after {time.monotonic() - began:.0f} s"
            )
        self._end_runs(f"the driver {how}", jvm_is_gone=False)
        self._end_group(self._child.pid)
        self._end_runs(f"the driver {how}", jvm_is_gone=True)
        return code

    def _end_runs(self, reason: str, *, jvm_is_gone: bool) -> None:
        for note in [path for path in self._notes.iterdir() if not path.suffix]:  # others are half written
            try:
                ended = end_runs(Path(note.read_text(encoding="utf-8")), SPOOL_BYTES, reason, jvm_is_gone=jvm_is_gone)
                if ended is not None and ended.jobs:
                    _say(f"ended in lineage: {', '.join(ended.jobs)} ({reason})")
                # Without an address the next driver has to send it.
                if ended is not None and ended.unsent and ended.address:
                    self._send(ended)
                if jvm_is_gone:
                    note.unlink()
            except Exception as e:  # the job matters more than its lineage
                _say(f"cannot report the end of its runs: {type(e).__name__}: {e}")

    def _send(self, ended: EndedRuns) -> None:
        """In the background, until the server is there. Deliveries that are done are closed."""
        waiting = []
        for delivery in self._deliveries:
            if delivery.flush(0):
                delivery.close(0)
            else:
                waiting.append(delivery)
        transport = make_transport(ended.address.get("url"), ended.address.get("transport"))
        self._deliveries = [*waiting, Delivery(transport, ended.spool)]

    def _end_group(self, group: int) -> None:
        """Before the next start, or two of them would write."""
        until = time.monotonic() + GRACE
        while _is_alive(group):
            if time.monotonic() > until:
                _say(f"killing what it had started, which still runs after {GRACE:g} s")
                with suppress(ProcessLookupError):
                    os.killpg(group, signal.SIGKILL)
                return
            time.sleep(0.05)

    def _pass_on(self, number: int, frame: object) -> None:
        twice, self._signal = self._signal is not None, number
        child = self._child
        if child is None or child.returncode is not None:
            return
        with suppress(ProcessLookupError):
            if twice:  # the user is impatient
                os.killpg(child.pid, signal.SIGKILL)
            else:
                child.send_signal(number)

    def _sleep(self, seconds: float) -> bool:
        """False if it is time to end."""
        until = time.monotonic() + seconds
        while self._signal is None and (rest := until - time.monotonic()) > 0:
            time.sleep(min(rest, 0.2))
        return self._signal is None


def _is_alive(group: int) -> bool:
    """Whether anything of it still runs. Zombies do not count: in many containers nothing reaps them."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    if not Path("/proc/self/stat").exists():
        return True
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # After the name, which stands in brackets: state, parent, group.
            state, _, its_group = stat.read_text(errors="replace").rpartition(")")[2].split()[:3]
            if int(its_group) == group and state != "Z":
                return True
    return False


def _how(code: int) -> str:
    """From a shell or a JVM that ran it, 137 means killed by signal 9."""
    number = -code if code < 0 else code - 128
    if number > 0:
        with suppress(ValueError):
            return f"was killed by {signal.Signals(number).name}"
    return f"ended with code {code}"


def _exit_code(code: int) -> int:
    return 128 - code if code < 0 else code


def _say(text: str) -> None:
    sys.stderr.write(f"supervise: {text}\n")
    sys.stderr.flush()


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m headwater.spark.supervise",
        description="Run a Spark job, restart it when it dies, and report the end of the runs that it left open.",
    )
    parser.add_argument("--restarts", type=int, metavar="N", help="at most this many in a row (default: no limit)")
    parser.add_argument("--pause", type=float, default=FIRST_PAUSE, help="seconds before a restart; doubles each time")
    parser.add_argument("command", nargs="+", metavar="COMMAND", help="after --, with its arguments")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="headwater-supervise-") as notes:
        return Supervisor(options.command, options.restarts, options.pause, Path(notes)).run()


if __name__ == "__main__":
    sys.exit(main())
