"""`headwater …` as a process of its own, forked from one that has imported everything already.

A server takes more than a second of a core to import what it needs, and hundreds are started. What runs is the same
`main()` with the same arguments; it may be signalled and killed like any other process.
"""

import ctypes
import multiprocessing
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from subprocess import TimeoutExpired

_context = multiprocessing.get_context("forkserver")
# `pytest`, as each child imports what this process was started with. Nothing of `headwater.cli`, which looks at the
# environment when it is imported.
_context.set_forkserver_preload(["pytest", "cyclopts", "rich.progress", "headwater.server", "headwater.client"])

_PR_SET_PDEATHSIG = 1


def _main(arguments: Sequence[str], env: Mapping[str, str], output: str, errors: str | None) -> None:
    os.environ.clear()
    os.environ.update(env)
    os.setsid()
    # The process that forked us ends with pytest, however that ends: no server outlives the tests.
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    out = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(out, 1)
    os.dup2(out if errors is None else os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["headwater", *arguments]
    sys.modules.pop("pytest", None)  # cyclopts warns programs that run under it
    from headwater.cli.main import main

    main()


class Forked:
    """As much of `subprocess.Popen` as the tests need."""

    def __init__(
        self, arguments: Sequence[str], env: Mapping[str, str], output: Path, errors: Path | None = None
    ) -> None:
        """Without `errors` they go to the output."""
        files = str(output), None if errors is None else str(errors)
        self._process = _context.Process(target=_main, args=(arguments, dict(env), *files))
        self._process.start()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        code = self._process.exitcode
        if code is None:
            raise TimeoutExpired("headwater", timeout or 0)
        return code
