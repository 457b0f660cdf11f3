"""Files of the store that are gone, cut short, overwritten, half written or too new."""

import json
import random
import shutil
import signal
import sqlite3
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.integration.samples import recorded, run_event, run_ids
from tests.support.server import (
    EVENT,
    MakeServer,
    Server,
    assert_error,
    differences,
    free_port,
    headwater,
    rebuild,
    wait_for,
)

_WAL_HEADER, _FRAME_HEADER = 32, 24


_SENT = [*recorded()[::3], *(run_event(n, job=f"job_{n % 9}") for n in range(100))]

Left = tuple[Path, dict[str, Any]]
"""A data folder, and all that its server answered."""


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Left:
    """What a clean stop leaves."""
    server = Server(tmp_path_factory.mktemp("stopped") / "data")
    try:
        server.start().post_batch(_SENT)
        answers = server.answers()
        server.stop()
        return server.data, answers
    finally:
        server.end()


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Left:
    """What `kill -9` leaves: all of the log is still in its journal, which cannot be taken over while
    somebody reads what was there before."""
    folder = tmp_path_factory.mktemp("killed")
    server = Server(folder / "data")
    try:
        server.start()
        reading = sqlite3.connect(server.data / "log.db", isolation_level=None)
        reading.execute("BEGIN")
        assert reading.execute("SELECT count(*) FROM events").fetchone() == (0,)
        for start in range(0, len(_SENT), 8):
            assert server.post_batch(_SENT[start : start + 8]).status_code == 204
        answers = server.answers()
        server.kill()
        # Whoever closes the file as the last one takes the journal over.
        left = copied(server.data, folder / "left")
        reading.close()
        assert (left / "log.db-wal").stat().st_size > 0
        return left, answers
    finally:
        server.end()


def copied(data: Path, to: Path) -> Path:
    shutil.copytree(data, to / "data")
    return to / "data"


def overwrite(path: Path, start: int, count: int) -> None:
    noise = random.Random(7).randbytes(count)
    with path.open("r+b") as file:
        file.seek(start)
        file.write(noise)


def cut(path: Path, keep: float) -> None:
    with path.open("r+b") as file:
        file.truncate(int(path.stat().st_size * keep))


# The tables: nothing is lost with them

_PAGE = 4096


def overwrite_table(tables: Path, name: str) -> None:
    """Damage that only a question for that table meets."""
    db = sqlite3.connect(tables)
    root = db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)).fetchone()[0]
    db.close()
    overwrite(tables, (root - 1) * _PAGE, _PAGE)


_TABLES_DAMAGE: dict[str, Callable[[Path], object]] = {
    "deleted": lambda tables: tables.unlink(),
    "replaced by a text": lambda tables: tables.write_text("no database " * 1000),
    "header overwritten": lambda tables: overwrite(tables, 0, 100),
    "middle overwritten": lambda tables: overwrite(tables, tables.stat().st_size // 2, 5 * _PAGE),
    "all but the first page overwritten": lambda tables: overwrite(tables, _PAGE, tables.stat().st_size - _PAGE),
    "a table of details overwritten": lambda tables: overwrite_table(tables, "uses"),
    "cut in half": lambda tables: cut(tables, 0.5),
    "cut to a few bytes": lambda tables: cut(tables, 0.0001),
}


@pytest.mark.parametrize("damage", _TABLES_DAMAGE)
def test_damaged_tables_are_made_anew_from_the_log(
    stopped: Left, make_server: MakeServer, tmp_path: Path, damage: str
) -> None:
    data = copied(stopped[0], tmp_path)
    _TABLES_DAMAGE[damage](data / "tables.db")
    server = make_server(data).start()
    assert not differences(stopped[1], server.answers())


def test_rows_that_make_no_sense_are_made_anew_from_the_log(
    stopped: Left, make_server: MakeServer, tmp_path: Path
) -> None:
    """A sound database file whose contents are not: SQLite cannot notice."""
    data = copied(stopped[0], tmp_path)
    with sqlite3.connect(data / "tables.db") as db:
        db.execute("UPDATE jobs SET facets = x'c1c1c1'")
        db.execute("DELETE FROM datasets WHERE node = (SELECT min(node) FROM datasets)")
    db.close()
    server = make_server(data).start()
    assert not differences(stopped[1], server.answers())


def test_a_rebuild_mends_damaged_tables(stopped: Left, make_server: MakeServer, tmp_path: Path) -> None:
    data = copied(stopped[0], tmp_path)
    overwrite(data / "tables.db", _PAGE, 50 * _PAGE)
    rebuild(data)
    assert not differences(stopped[1], make_server(data).start().answers())


def test_tables_damaged_under_a_running_server_leave_nobody_waiting(server: Server) -> None:
    """It may refuse or end, as the log has all that it acknowledged, but it must not hang."""
    sent = [run_event(n) for n in range(70)]
    assert server.post_batch(sent[:50]).status_code == 204
    server.json("/api/v1/jobs")  # the tables have it all
    for name in ("tables.db", "tables.db-wal"):
        path = server.data / name
        overwrite(path, 0, path.stat().st_size)
    acknowledged = run_ids(sent[:50])
    for event in sent[50:]:
        try:
            answer = server.client.post(EVENT, json=event, timeout=10)
        except (httpx.NetworkError, httpx.RemoteProtocolError):
            wait_for(lambda: not server.is_running(), "the server to end")
            break
        if answer.status_code == 201:
            acknowledged += run_ids([event])
        else:
            assert_error(answer, answer.status_code)
            assert server.get("/healthz").status_code == 503
    if server.is_running():
        server.signal(signal.SIGTERM)
    read_back = run_ids(server.start().events())
    assert len(read_back) == len(set(read_back))
    assert set(acknowledged) <= set(read_back) <= set(run_ids(sent))


# The log after a crash


@pytest.mark.parametrize("keep", [0.97, 0.5, 0.0])
def test_a_journal_cut_at_its_tail_loses_only_the_tail(
    killed: Left, make_server: MakeServer, tmp_path: Path, keep: float
) -> None:
    data = copied(killed[0], tmp_path)
    cut(data / "log.db-wal", keep)
    (data / "log.db-shm").unlink(missing_ok=True)
    server = make_server(data).start()
    count = server.json("/healthz")["position"]
    assert count < len(_SENT)
    assert sorted(server.events(), key=json.dumps) == sorted(_SENT[:count], key=json.dumps)
    assert server.post(run_event(9999)).headers["headwater-position"] == str(count + 1)
    before = server.answers()
    server.stop()
    rebuild(data)
    assert not differences(before, server.start().answers())


def test_a_kill_within_a_checkpoint_is_no_damage(killed: Left, make_server: MakeServer, tmp_path: Path) -> None:
    """A checkpoint writes the first page, with the new size of the file, before the others.
    Everything is still in the journal then."""
    data = copied(killed[0], tmp_path)
    (data / "log.db-shm").unlink(missing_ok=True)
    page = newest_page_one(data / "log.db-wal")
    assert page is not None
    with (data / "log.db").open("r+b") as file:
        file.write(page)
    server = make_server(data).start()
    assert not differences(killed[1], server.answers())


def newest_page_one(journal: Path) -> bytes | None:
    """Page 1 as the last commit in a WAL file left it."""
    wal = journal.read_bytes()
    page_size: int = struct.unpack(">I", wal[8:12])[0]
    salts = wal[16:24]
    last = waiting = None
    for at in range(_WAL_HEADER, len(wal) - page_size - _FRAME_HEADER + 1, page_size + _FRAME_HEADER):
        number, size_after = struct.unpack(">II", wal[at : at + 8])
        if wal[at + 8 : at + 16] != salts:
            break
        if number == 1:
            waiting = wal[at + _FRAME_HEADER : at + _FRAME_HEADER + page_size]
        if size_after:
            last = waiting
    return last


# The log itself: the only copy


@pytest.mark.parametrize("command", ["serve", "rebuild"])
@pytest.mark.parametrize("damage", ["cut", "overwritten", "text"])
def test_a_damaged_log_is_named_and_left_alone(stopped: Left, tmp_path: Path, damage: str, command: str) -> None:
    data = copied(stopped[0], tmp_path)
    log = data / "log.db"
    if damage == "cut":
        cut(log, 0.7)
    elif damage == "overwritten":
        overwrite(log, 0, 100)
    else:
        log.write_text("no database " * 1000)
    before = log.read_bytes()
    arguments = ["--port", str(free_port())] if command == "serve" else []
    done = headwater(command, "--data", str(data), *arguments)
    assert done.returncode == 1
    assert str(log) in done.stderr
    assert "damaged" in done.stderr
    assert "backup" in done.stderr
    assert "Traceback" not in done.stderr
    assert log.read_bytes() == before


def test_damage_within_the_log_is_reported_not_served(stopped: Left, make_server: MakeServer, tmp_path: Path) -> None:
    """Found when the log is replayed: whatever cannot be read must not be left out in silence."""
    data = copied(stopped[0], tmp_path)
    (data / "tables.db").unlink()
    log = data / "log.db"
    overwrite(log, log.stat().st_size // 3, log.stat().st_size // 3)
    done = headwater("serve", "--port", str(free_port()), "--data", str(data))
    assert done.returncode == 1
    assert str(log) in done.stderr
    assert "damaged" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["serve", "rebuild"])
def test_a_log_of_a_newer_headwater_is_left_alone(stopped: Left, tmp_path: Path, command: str) -> None:
    data = copied(stopped[0], tmp_path)
    with sqlite3.connect(data / "log.db") as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    arguments = ["--port", str(free_port())] if command == "serve" else []
    done = headwater(command, "--data", str(data), *arguments)
    assert done.returncode == 1
    assert "newer headwater" in done.stderr
    assert "99" in done.stderr
    assert "Upgrade" in done.stderr
    assert "backup" not in done.stderr  # nothing is broken
    assert "Traceback" not in done.stderr


def test_tables_of_another_format_are_made_anew(stopped: Left, make_server: MakeServer, tmp_path: Path) -> None:
    data = copied(stopped[0], tmp_path)
    with sqlite3.connect(data / "tables.db") as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    assert not differences(stopped[1], make_server(data).start().answers())
