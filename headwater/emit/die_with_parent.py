"""Becomes another program, which gets a signal when its parent dies, even if the parent is killed.

    python -I -S die_with_parent.py PARENT SIGNAL USER COMMAND…

PARENT is the parent's process id, or 0 if the caller cannot know it; SIGNAL is a name such as SIGTERM. USER is the
user to become first, which only root can do; `-` stays the same user. A small program instead of a function between
fork and exec, where hardly anything may safely be called. It imports nothing of the package: it runs once for every
process that is started.
"""

import ctypes
import os
import pwd
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    parent, number, user, command = int(sys.argv[1]), signal.Signals[sys.argv[2]], sys.argv[3], sys.argv[4:]
    if user != "-":  # first, as a change of user would undo the rest
        account = pwd.getpwnam(user)
        os.initgroups(user, account.pw_gid)
        os.setgid(account.pw_gid)
        os.setuid(account.pw_uid)
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")
    if parent and os.getppid() != parent:
        sys.exit("the supervising process is gone")  # it died before the line above
    try:
        os.execvp(command[0], command)  # noqa: S606
    except OSError as e:
        sys.stderr.write(f"cannot start {command[0]}: {e.strerror}\n")
        sys.exit(127 if isinstance(e, FileNotFoundError) else 126)


if __name__ == "__main__":
    main()
