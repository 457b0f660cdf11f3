"""Runs a command that is killed when its parent dies, even if the parent is killed.

    python -I -S die_with_parent.py PARENT USER COMMAND…

PARENT is the parent's process id, or 0 if the caller cannot know it. With a user name it switches to that user
first, which only root can do; `-` keeps the user. It is a small program because hardly anything is safe to call
between fork and exec, and it imports nothing from the package because it starts once for every service.
"""

import ctypes
import os
import pwd
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    parent, user, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    if user != "-":  # before prctl, which a change of user would undo
        account = pwd.getpwnam(user)
        os.initgroups(user, account.pw_gid)
        os.setgid(account.pw_gid)
        os.setuid(account.pw_uid)
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")
    if parent and os.getppid() != parent:
        sys.exit("the lab's supervisor is gone")  # it died before prctl was called
    os.execvp(command[0], command)  # noqa: S606


if __name__ == "__main__":
    main()
