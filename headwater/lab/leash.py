"""Becomes another program that ends when its parent does, even when the parent is killed.

    python -I -S leash.py PARENT USER COMMAND…

PARENT is the parent's id, or 0 where whoever starts it could not know that. With a user's name it becomes that
user first, which only root can do; `-` is for staying who one is. A small program instead of a function between
fork and exec, where hardly anything may safely be called. No imports from the package: it is started once for
every service.
"""

import ctypes
import os
import pwd
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    parent, user, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    if user != "-":  # before the leash, which a change of user would undo
        account = pwd.getpwnam(user)
        os.initgroups(user, account.pw_gid)
        os.setgid(account.pw_gid)
        os.setuid(account.pw_uid)
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")
    if parent and os.getppid() != parent:
        sys.exit("the lab's supervisor has gone")  # it died before the line above
    os.execvp(command[0], command)  # noqa: S606


if __name__ == "__main__":
    main()
