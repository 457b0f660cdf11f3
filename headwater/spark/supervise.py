"""`python -m headwater.spark.supervise -- COMMAND…`: a parent for a Spark job, which may be killed.

It runs the command, starts it again when it dies, and ends in lineage the runs that it left open.
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

from headwater.emit import leash
from headwater.emit.delivery import SPOOL_BYTES, Delivery
from headwater.emit.open_runs import SUPERVISED, Left, end_left
from headwater.emit.transports import make_transport

FIRST_PAUSE, LAST_PAUSE = 1.0, 60.0
# Who ran for so long was well: the next death is a new one, and not another of the same kind.
WELL = 60.0
# What the command started ends by itself when the command is gone (Spark's JVM at once); if not, it is killed.
GRACE = 10.0
SENDING = 3.0
NOT_FOUND = (126, 127)  # as shells say it: starting it again would not help


class Supervisor:
    def __init__(self, command: Sequence[str], restarts: int | None, pause: float, notes: Path) -> None:
        self._command, self._restarts, self._first_pause, self._notes = command, restarts, pause, notes
        self._child: subprocess.Popen[bytes] | None = None
        self._asked: int | None = None  # the signal to end
        self._deliveries: list[Delivery] = []

    def run(self) -> int:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._pass_on)
        again = 0
        try:
            while True:
                began = time.monotonic()
                code = self._one()
                took = time.monotonic() - began
                again = 0 if took >= WELL else again
                if code == 0 or self._asked is not None or code in NOT_FOUND:
                    return _exit_code(code)
                if self._restarts is not None and again >= self._restarts:
                    _say(f"given up after {again} restarts" if again else "it is not started again")
                    return _exit_code(code)
                pause = min(self._first_pause * 2**again, LAST_PAUSE)
                again += 1
                _say(f"restart {again} in {pause:g} s")
                if not self._rest(pause):
                    return _exit_code(code)
        finally:
            for delivery in self._deliveries:
                delivery.close(SENDING)

    def _one(self) -> int:
        """Runs the command once; its code, negative for a signal as subprocess has it."""
        began = time.monotonic()
        tied = [sys.executable, "-I", "-S", leash.__file__, str(os.getpid()), *self._command]
        # A group of its own, so that all that it started can be ended with it; and Ctrl-C comes to us alone.
        self._child = subprocess.Popen(  # noqa: S603 to run it is what we are for
            tied, start_new_session=True, env=os.environ | {SUPERVISED: str(self._notes)}
        )
        if self._asked is not None:  # just before there was a child to pass it on to
            self._child.send_signal(self._asked)
        code = self._child.wait()
        how = _how(code)
        if code != 0:
            _say(
                f"{shlex.join(self._command)} (process {self._child.pid}) {how} after {time.monotonic() - began:.0f} s"
            )
        self._end_runs(f"the driver {how}", all_is_gone=False)
        self._end_group(self._child.pid)
        self._end_runs(f"the driver {how}", all_is_gone=True)
        return code

    def _end_runs(self, reason: str, *, all_is_gone: bool) -> None:
        for note in [path for path in self._notes.iterdir() if not path.suffix]:  # others are half written
            try:
                left = end_left(Path(note.read_text(encoding="utf-8")), SPOOL_BYTES, reason, all_is_gone=all_is_gone)
                if left is not None and left.jobs:
                    _say(f"ended in lineage: {', '.join(left.jobs)} ({reason})")
                # Without an address it is for the next driver to send; we would only say it to ourselves.
                if left is not None and left.waits and left.address:
                    self._send(left)
                if all_is_gone:
                    note.unlink()
            except Exception as e:  # the job matters more than its lineage
                _say(f"the end of its runs could not be told: {type(e).__name__}: {e}")

    def _send(self, left: Left) -> None:
        """In the background, until the server is there. Those that are done need no thread any more."""
        waiting = []
        for delivery in self._deliveries:
            if delivery.flush(0):
                delivery.close(0)
            else:
                waiting.append(delivery)
        transport = make_transport(left.address.get("url"), left.address.get("transport"))
        self._deliveries = [*waiting, Delivery(transport, left.spool)]

    def _end_group(self, group: int) -> None:
        """Before the next start, or there would be two of them that write."""
        until = time.monotonic() + GRACE
        while _is_alive(group):
            if time.monotonic() > until:
                _say(f"what it had started is still there after {GRACE:g} s, and is killed")
                with suppress(ProcessLookupError):
                    os.killpg(group, signal.SIGKILL)
                return
            time.sleep(0.05)

    def _pass_on(self, number: int, frame: object) -> None:
        twice, self._asked = self._asked is not None, number
        child = self._child
        if child is None or child.returncode is not None:
            return
        with suppress(ProcessLookupError):
            if twice:  # no more patience
                os.killpg(child.pid, signal.SIGKILL)
            else:
                child.send_signal(number)

    def _rest(self, seconds: float) -> bool:
        """False if it is time to end."""
        until = time.monotonic() + seconds
        while self._asked is None and (rest := until - time.monotonic()) > 0:
            time.sleep(min(rest, 0.2))
        return self._asked is None


def _is_alive(group: int) -> bool:
    """Whether anything of it still runs. Where nobody buries the dead, as in many containers, they stay for ever."""
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
    """Of a shell or a JVM that ran it, 137 means that it was killed by signal 9."""
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
        description="Runs a Spark job, starts it again when it dies, and ends in lineage the runs that it left open.",
    )
    parser.add_argument("--restarts", type=int, metavar="N", help="at most so many in a row (default: without end)")
    parser.add_argument("--pause", type=float, default=FIRST_PAUSE, help="seconds before the first; doubles each time")
    parser.add_argument("command", nargs="+", metavar="COMMAND", help="after --, with its arguments")
    told = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="headwater-supervise-") as notes:
        return Supervisor(told.command, told.restarts, told.pause, Path(notes)).run()


if __name__ == "__main__":
    sys.exit(main())
