"""The journals: they end, whoever reads and writes meanwhile."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.ids import Micros, Position
from headwater.openlineage.event import decode
from headwater.store.rows import Rows
from headwater.store.sqlite import files as module
from headwater.store.sqlite.log import SqliteLog
from headwater.store.sqlite.tables import SqliteTables
from tests.support.make import encoded, run

PAGE = 4096
LONG = 50


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SqliteTables]:
    monkeypatch.setattr(module, "_LONG_JOURNAL", LONG)
    opened = SqliteTables(tmp_path)
    yield opened
    opened.close()


def write(tables: SqliteTables, number: int) -> None:
    """Some twenty pages, always others."""
    rows = [(number * 1000 + n, number, 1, None, None) for n in range(1000)]
    tables.write(Rows({"events": rows}, []), Position(number))


def journal_pages(tmp_path: Path) -> int:
    return (tmp_path / "tables.db-wal").stat().st_size // PAGE


def test_a_write_leaves_the_journal_to_the_tidier(tables: SqliteTables, tmp_path: Path) -> None:
    for number in range(100):
        write(tables, number)
    assert journal_pages(tmp_path) > 1000
    file = (tmp_path / "tables.db").stat().st_size
    tables.tidy()
    assert (tmp_path / "tables.db").stat().st_size > file


def test_an_append_leaves_the_journal_to_the_tidier(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path)
    for number in range(1500):
        log.append([decode(encoded(run("START", "a", number)))], Micros(0))
    journal, file = ((tmp_path / f"log.db{end}").stat().st_size for end in ("-wal", ""))
    assert journal // PAGE > 1000
    log.tidy()
    assert (tmp_path / "log.db").stat().st_size > file
    assert log.last() == len(list(log.read(Position(0)))) == 1500
    log.close()


def test_the_journal_ends_while_somebody_writes_all_the_time(tables: SqliteTables, tmp_path: Path) -> None:
    lengths: list[int] = []
    written = 0
    done = threading.Event()

    def write_on() -> None:
        nonlocal written
        while not done.is_set() and written < 2000:
            written += 1
            write(tables, written)
            lengths.append(journal_pages(tmp_path))

    writer = threading.Thread(target=write_on)
    writer.start()
    while writer.is_alive() and not _came_back(lengths):
        tables.tidy()
    done.set()
    writer.join()
    assert _came_back(lengths)


def _came_back(lengths: list[int]) -> bool:
    """The file keeps its length when the journal begins anew, so it stands still for some writes."""
    return len(lengths) > 20 and any(len(set(lengths[n : n + 3])) == 1 for n in range(10, len(lengths) - 3))


def test_tidying_does_not_wait_for_somebody_who_reads(tables: SqliteTables, tmp_path: Path) -> None:
    for number in range(20):
        write(tables, number)
    reading = tables._readers.mine().execute("SELECT * FROM events")
    reading.fetchone()
    for number in range(20, 40):
        write(tables, number)
    tables.tidy()
    assert len(reading.fetchall()) == 20 * 1000 - 1
    assert tables.position() == 39
