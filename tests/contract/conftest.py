"""The implementations. Each is a function that opens the store of a folder: the same folder
gives the same store, another folder an empty one."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from headwater.store.protocol import Log, Tables
from headwater.store.sqlite.log import SqliteLog
from headwater.store.sqlite.tables import SqliteTables

LOGS: dict[str, Callable[[Path], Log]] = {"sqlite": SqliteLog}
TABLES: dict[str, Callable[[Path], Tables]] = {"sqlite": SqliteTables}

OpenLog = Callable[..., Log]
OpenTables = Callable[..., Tables]


@pytest.fixture(params=LOGS)
def open_log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenLog]:
    """Opens the log, again and again if need be; `open_log("other")` is another one."""
    opened: list[Log] = []

    def opener(name: str = "log") -> Log:
        (tmp_path / name).mkdir(exist_ok=True)
        opened.append(LOGS[request.param](tmp_path / name))
        return opened[-1]

    yield opener
    for log in opened:
        log.close()


@pytest.fixture
def log(open_log: OpenLog) -> Log:
    return open_log()


@pytest.fixture(params=TABLES)
def open_tables(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenTables]:
    """Opens the tables, again and again if need be; `open_tables("other")` are others."""
    opened: list[Tables] = []

    def opener(name: str = "tables") -> Tables:
        (tmp_path / name).mkdir(exist_ok=True)
        opened.append(TABLES[request.param](tmp_path / name))
        return opened[-1]

    yield opener
    for tables in opened:
        tables.close()


@pytest.fixture
def tables(open_tables: OpenTables) -> Tables:
    return open_tables()
