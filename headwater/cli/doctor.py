"""`headwater doctor`"""

import fcntl
import os
import platform
import resource
import shutil
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from email.utils import parsedate_to_datetime
from importlib.util import find_spec
from pathlib import Path

import msgspec
from rich.text import Text

from headwater import __version__
from headwater.cli import console
from headwater.cli.asking import DEFAULT, Asking
from headwater.cli.exits import ERROR
from headwater.client import Client, calls
from headwater.config import Settings
from headwater.errors import HeadwaterError, Unreachable
from headwater.server import check_port
from headwater.show.words import moment, span, table
from headwater.store.sqlite.files import check_length, connect_reader

_OLDEST_PYTHON = (3, 11)
_MUCH, _LITTLE = 2 << 30, 200 << 20  # free bytes on the disk
_QUICK = 256 << 20  # files up to this size are read through; larger ones take too long for a look
_FEW_FILES = 1024  # each connection is an open file
_SKEW = 5.0  # seconds between two clocks that nobody needs to worry about


class Check(msgspec.Struct, frozen=True):
    level: str  # ok, warn or fail
    what: str
    said: str
    todo: str = ""


def doctor(*, data: Path | None = None, asking: Asking = DEFAULT) -> None:
    """Check this installation: Python, data folder, files, server. Ends with 1 when something is broken.

    Parameters
    ----------
    data
        The data folder to look at; HEADWATER_DATA, else your data folder.
    """
    settings = Settings.from_environment(data=data)
    checks = [*_here(), *_folder(settings.data), *_server(settings, asking.url)]
    if asking.json:
        console.write(msgspec.json.encode(checks) + b"\n")
    else:
        rows = table("", "", "")
        for check in checks:
            said = f"{check.said}. {check.todo}" if check.todo else check.said
            colour = {"ok": "green", "warn": "yellow", "fail": "bold red"}[check.level]
            rows.add_row(Text(check.level, colour), check.what, Text(said))
        console.show(rows)
    if any(check.level == "fail" for check in checks):
        sys.exit(ERROR)


def _here() -> Iterator[Check]:
    version = platform.python_version()
    if sys.version_info >= _OLDEST_PYTHON:
        yield Check("ok", "Python", version)
    else:
        yield Check("fail", "Python", version, "Headwater needs 3.11 or newer.")
    mcp = "installed" if find_spec("mcp") else "not installed; `pip install 'headwater[mcp]'` for `headwater mcp`"
    yield Check("ok", "Headwater", f"{__version__}, MCP {mcp}")
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= most < _FEW_FILES:
        yield Check("warn", "open files", f"at most {most}", "Raise the limit (ulimit -n): each client needs one.")
    else:
        yield Check("ok", "open files", "no limit" if most < 0 else f"at most {most:,}")


def _folder(folder: Path) -> Iterator[Check]:
    there = next((p for p in (folder, *folder.parents) if p.exists()), folder)
    if not os.access(there, os.W_OK | os.X_OK):
        yield Check("fail", "data folder", f"{there} cannot be written to", "Change its rights, or choose --data.")
    elif there != folder:
        yield Check("ok", "data folder", f"{folder} is not there yet; `headwater serve` makes it")
    else:
        yield Check("ok", "data folder", str(folder))
    free = shutil.disk_usage(there).free
    room = f"{free / (1 << 30):,.1f} GB free"
    if free < _LITTLE:
        yield Check("fail", "disk", room, "Events will be refused soon: make room.")
    elif free < _MUCH:
        yield Check("warn", "disk", room, "Make room before it is full.")
    else:
        yield Check("ok", "disk", room)
    if there == folder:
        yield _lock(folder / "lock")
        yield _file(folder / "log.db", "events", "Restore it from a backup: it is the only copy of the events.")
        yield _file(folder / "tables.db", "events", "Stop the server and run `headwater rebuild`.")


def _lock(path: Path) -> Check:
    try:
        fd = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return Check("ok", "lock", "no server has used this folder yet")
    except OSError as e:
        return Check("fail", "lock", f"{path}: {e.strerror}", "Change its rights.")
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return Check("ok", "lock", f"a server has the folder (process {os.read(fd, 20).decode(errors='replace')})")
    else:
        return Check("ok", "lock", "free")
    finally:
        os.close(fd)


def _file(path: Path, rows: str, todo: str) -> Check:
    name = path.name
    if not path.exists():
        return Check("ok", name, "not there yet")
    try:
        check_length(path)
        with closing(connect_reader(path)) as db:
            last = db.execute(f"SELECT coalesce(max(position), 0) FROM {rows}").fetchone()[0]
            size = path.stat().st_size
            if size <= _QUICK:
                said = db.execute("PRAGMA quick_check(1)").fetchone()[0]
                if said != "ok":
                    return Check("fail", name, said, todo)
            looked = "checked" if size <= _QUICK else "readable; too large for a quick check"
    except (HeadwaterError, sqlite3.Error, OSError) as e:
        return Check("fail", name, str(e), todo)
    return Check("ok", name, f"{last:,} events, {size / (1 << 20):,.1f} MB, {looked}")


def _server(settings: Settings, url: str) -> Iterator[Check]:
    with Client(url, timeout=10) as client:
        try:
            asked = time.time()
            answer = client.ask(calls.healthz())
            answered = time.time()
        except Unreachable as e:
            yield Check("warn", "server", str(e))
            yield _port(settings)
            return
        except HeadwaterError as e:
            yield Check("fail", "server", str(e), f"Is that a Headwater server at {url}?")
            return
    health = answer.value
    if health.status == "ok":
        yield Check("ok", "server", f"{url} answers in {(answered - asked) * 1000:.0f} ms, {health.position:,} events")
    else:
        yield Check("fail", "server", f"{url}: {health.status}", "Its log says more.")
    if health.version != __version__:
        yield Check("warn", "versions", f"server {health.version or 'unknown'}, here {__version__}", "Use the same.")
    else:
        yield Check("ok", "versions", f"both {__version__}")
    yield from _clock(answer.headers.get("date"), (asked + answered) / 2)


def _clock(told: str | None, here: float) -> Iterator[Check]:
    if told:
        there = parsedate_to_datetime(told)
        ahead = here - there.timestamp() - 0.5  # the header has whole seconds, cut off
        if abs(ahead) > _SKEW:
            way = "ahead of" if ahead > 0 else "behind"
            said = f"this clock is {span(abs(ahead))} {way} the server's ({moment(there)})"
            yield Check("warn", "clocks", said, "Set both by NTP: times of events come from the jobs' clocks.")
        else:
            yield Check("ok", "clocks", "agree")


def _port(settings: Settings) -> Check:
    try:
        check_port(settings)
    except HeadwaterError as e:
        return Check("warn", "port", str(e))
    return Check("ok", "port", f"{settings.port} is free")
