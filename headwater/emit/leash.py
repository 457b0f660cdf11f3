"""Becomes another program, which is told to end (SIGTERM) when its parent dies, even if that is killed.

    python -I -S leash.py PARENT COMMAND…

A small program instead of a function between fork and exec, where hardly anything may safely be called.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    parent, command = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit("the supervising process has gone")  # it died before the line above
    try:
        os.execvp(command[0], command)  # noqa: S606
    except OSError as e:
        sys.stderr.write(f"{command[0]} cannot be started: {e.strerror}\n")
        sys.exit(127 if isinstance(e, FileNotFoundError) else 126)


if __name__ == "__main__":
    main()
