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
from headwater.cli.exits import ERROR
from headwater.cli.query_options import DEFAULT, QueryOptions
from headwater.client import Client, queries
from headwater.config import Settings
from headwater.errors import HeadwaterError, Unreachable
from headwater.server import check_port
from headwater.show.format import duration, table, timestamp
from headwater.store.sqlite.files import check_length, connect_reader

_OLDEST_PYTHON = (3, 11)
_WARN_FREE, _FAIL_FREE = 2 << 30, 200 << 20  # bytes on the disk
_QUICK_CHECK = 256 << 20  # files up to this size are checked; larger ones take too long
_FEW_FILES = 1024  # each connection is an open file
_MOST_SKEW = 5.0  # harmless seconds between two clocks


class Check(msgspec.Struct, frozen=True):
    level: str  # ok, warn or fail
    what: str
    finding: str = msgspec.field(name="said")
    todo: str = ""


def doctor(*, data: Path | None = None, options: QueryOptions = DEFAULT) -> None:
    """Check this installation: Python, data folder, files, server. Exits with code 1 if something is broken.

    Parameters
    ----------
    data
        The data folder; by default HEADWATER_DATA, else your user data folder.
    """
    settings = Settings.from_environment(data=data)
    checks = [*_installation(), *_folder(settings.data), *_server(settings, options.url)]
    if options.json:
        console.write(msgspec.json.encode(checks) + b"\n")
    else:
        rows = table("", "", "")
        for check in checks:
            text = f"{check.finding}. {check.todo}" if check.todo else check.finding
            colour = {"ok": "green", "warn": "yellow", "fail": "bold red"}[check.level]
            rows.add_row(Text(check.level, colour), check.what, Text(text))
        console.show(rows)
    if any(check.level == "fail" for check in checks):
        sys.exit(ERROR)


def _installation() -> Iterator[Check]:
    version = platform.python_version()
    if sys.version_info >= _OLDEST_PYTHON:
        yield Check("ok", "Python", version)
    else:
        yield Check("fail", "Python", version, "Headwater needs 3.11 or newer.")
    mcp = "installed" if find_spec("mcp") else "not installed; `pip install 'headwater[mcp]'` for `headwater mcp`"
    yield Check("ok", "Headwater", f"{__version__}, MCP {mcp}")
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= most < _FEW_FILES:
        yield Check("warn", "open files", f"at most {most}", "Raise the limit (ulimit -n): each connection needs one.")
    else:
        yield Check("ok", "open files", "no limit" if most < 0 else f"at most {most:,}")


def _folder(folder: Path) -> Iterator[Check]:
    existing = next((p for p in (folder, *folder.parents) if p.exists()), folder)
    if not os.access(existing, os.W_OK | os.X_OK):
        yield Check(
            "fail",
            "data folder",
            f"{existing} is not writable",
            "Change its permissions, or choose another folder with --data.",
        )
    elif existing != folder:
        yield Check("ok", "data folder", f"{folder} does not exist yet; `headwater serve` creates it")
    else:
        yield Check("ok", "data folder", str(folder))
    free = shutil.disk_usage(existing).free
    space = f"{free / (1 << 30):,.1f} GB free"
    if free < _FAIL_FREE:
        yield Check("fail", "disk", space, "Free some space: events will be refused soon.")
    elif free < _WARN_FREE:
        yield Check("warn", "disk", space, "Free some space before it is full.")
    else:
        yield Check("ok", "disk", space)
    if existing == folder:
        yield _lock(folder / "lock")
        yield _file(folder / "log.db", "events", "Restore it from a backup: it is the only copy of the events.")
        yield _file(folder / "tables.db", "events", "Stop the server and run `headwater rebuild`.")


def _lock(path: Path) -> Check:
    try:
        fd = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return Check("ok", "lock", "no server has used this folder yet")
    except OSError as e:
        return Check("fail", "lock", f"{path}: {e.strerror}", "Change its permissions.")
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return Check("ok", "lock", f"a server uses this folder (process {os.read(fd, 20).decode(errors='replace')})")
    else:
        return Check("ok", "lock", "free")
    finally:
        os.close(fd)


def _file(path: Path, rows: str, todo: str) -> Check:
    name = path.name
    if not path.exists():
        return Check("ok", name, "does not exist yet")
    try:
        check_length(path)
        with closing(connect_reader(path)) as db:
            last = db.execute(f"SELECT coalesce(max(position), 0) FROM {rows}").fetchone()[0]
            size = path.stat().st_size
            if size <= _QUICK_CHECK:
                result = db.execute("PRAGMA quick_check(1)").fetchone()[0]
                if result != "ok":
                    return Check("fail", name, result, todo)
            depth = "checked" if size <= _QUICK_CHECK else "readable; too large for a quick check"
    except (HeadwaterError, sqlite3.Error, OSError) as e:
        return Check("fail", name, str(e), todo)
    return Check("ok", name, f"{last:,} events, {size / (1 << 20):,.1f} MB, {depth}")


def _server(settings: Settings, url: str) -> Iterator[Check]:
    with Client(url, timeout=10) as client:
        try:
            sent = time.time()
            answer = client.ask(queries.healthz())
            received = time.time()
        except Unreachable as e:
            yield Check("warn", "server", str(e))
            yield _port(settings)
            return
        except HeadwaterError as e:
            yield Check("fail", "server", str(e), f"Is this a Headwater server: {url}?")
            return
    health = answer.value
    if health.status == "ok":
        yield Check("ok", "server", f"{url} answers in {(received - sent) * 1000:.0f} ms, {health.position:,} events")
    else:
        yield Check("fail", "server", f"{url}: {health.status}", "See its log.")
    if health.version != __version__:
        yield Check(
            "warn",
            "versions",
            f"server {health.version or 'unknown'}, this {__version__}",
            "Use the same version for both.",
        )
    else:
        yield Check("ok", "versions", f"both {__version__}")
    yield from _clock(answer.headers.get("date"), (sent + received) / 2)


def _clock(date_header: str | None, here: float) -> Iterator[Check]:
    if date_header:
        there = parsedate_to_datetime(date_header)
        skew = here - there.timestamp() - 0.5  # the header is cut to whole seconds
        if abs(skew) > _MOST_SKEW:
            way = "ahead of" if skew > 0 else "behind"
            finding = f"this clock is {duration(abs(skew))} {way} the server's ({timestamp(there)})"
            yield Check("warn", "clocks", finding, "Synchronise both with NTP: event times come from the jobs' clocks.")
        else:
            yield Check("ok", "clocks", "agree")


def _port(settings: Settings) -> Check:
    try:
        check_port(settings)
    except HeadwaterError as e:
        return Check("warn", "port", str(e))
    return Check("ok", "port", f"{settings.port} is free")
