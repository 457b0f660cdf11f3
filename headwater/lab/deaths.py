"""Why a service died, as far as its end and its log tell, and what to do about it."""

import os
import signal
from collections import deque
from pathlib import Path

_TAIL = 15  # lines
_READ = 64 << 10

# What a log says, and what a person can do about it.
_HINTS = (
    ("Address already in use", "Another program took its port: start the lab again, it finds another one."),
    ("BindException", "Another program took its port: start the lab again, it finds another one."),
    ("OutOfMemoryError", "Its heap was too small for what was asked of it: see `memory` in headwater/lab/services.py."),
    ("There is insufficient memory", "The machine has no memory left: end other programs, or start fewer services."),
    ("No space left on device", "The disk is full: make room."),
    ("Read-only file system", "The lab's folder cannot be written to: choose another one with --data."),
)


def explain(title: str, code: int | None, problem: str | None, after: float | None, log: Path) -> str:
    """One sentence, the end of the log, and advice where there is any."""
    what = verdict(title, code, after)
    if code is None:
        what += f": {problem}"
    lines = tail(log, _TAIL)
    text = "".join(f"\n  {line}" for line in lines)
    advice = hint(lines, code)
    return f"{what}. The end of {log}:{text or ' (empty)'}" + (f"\n{advice}" if advice else "")


def verdict(title: str, code: int | None, after: float | None) -> str:
    when = f" after {after:.0f} s" if after is not None else ""
    if code is None:
        return f"{title} did not come up{when}"
    if code < 0:
        return f"{title} was killed by {signal.Signals(-code).name}{when}"
    return f"{title} ended with code {code}{when}"


def hint(lines: list[str], code: int | None) -> str:
    for sign, advice in _HINTS:
        if any(sign in line for line in lines):
            return advice
    if code == -signal.SIGKILL:
        return "Someone killed it, or the system did for want of memory (`dmesg` tells)."
    return ""


def tail(path: Path, lines: int) -> list[str]:
    """The last lines of a file, without reading all of it."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _READ))
            return list(deque(file.read().decode(errors="replace").splitlines(), lines))
    except FileNotFoundError:
        return []
