"""Explains why a service failed, from its exit code and its log, and what to do about it."""

import signal
from pathlib import Path

from headwater.lab.logs import tail

_LOG_LINES = 15

# A text in a log, and advice.
_HINTS = (
    ("Address already in use", "Another program took its port: start the lab again, it chooses another one."),
    ("BindException", "Another program took its port: start the lab again, it chooses another one."),
    ("OutOfMemoryError", "Its heap is too small for this load: raise `memory` in headwater/lab/services.py."),
    ("There is insufficient memory", "The machine is out of memory: end other programs, or start fewer services."),
    ("No space left on device", "The disk is full: free some space."),
    ("Read-only file system", "The lab's folder is not writable: choose another one with --data."),
)


def explain(title: str, code: int | None, problem: str | None, after: float | None, log: Path) -> str:
    """One sentence, the end of the log, and advice if there is any."""
    sentence = outcome(title, code, after)
    if code is None:
        sentence += f": {problem}"
    lines = tail(log, _LOG_LINES)
    text = "".join(f"\n  {line}" for line in lines)
    advice = hint(lines, code)
    return f"{sentence}. The end of {log}:{text or ' (empty)'}" + (f"\n{advice}" if advice else "")


def outcome(title: str, code: int | None, after: float | None) -> str:
    when = f" after {after:.0f} s" if after is not None else ""
    if code is None:
        return f"{title} did not come up{when}"
    if code < 0:
        return f"{title} was killed by {signal.Signals(-code).name}{when}"
    return f"{title} ended with code {code}{when}"


def hint(lines: list[str], code: int | None) -> str:
    for text, advice in _HINTS:
        if any(text in line for line in lines):
            return advice
    if code == -signal.SIGKILL:
        return "Somebody killed it, or the system did because it ran out of memory (see `dmesg`)."
    return ""
