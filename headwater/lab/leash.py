"""Becomes another program that ends when its parent does, even when the parent is killed.

    python -I -S leash.py PARENT COMMAND…

A small program instead of a function between fork and exec, where hardly anything may safely be called. No
imports from the package: it is started once for every service.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    parent, command = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")
    if os.getppid() != parent:
        sys.exit("the lab's supervisor has gone")  # it died before the line above
    os.execvp(command[0], command)  # noqa: S606


if __name__ == "__main__":
    main()
