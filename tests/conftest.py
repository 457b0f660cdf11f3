"""Fixtures that several suites share, and how long a test may take."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite("tests.support.server", "tests.support.lab")

from tests.support import world  # noqa: E402
from tests.support.lab import Lab, MakeLab, make_labs  # noqa: E402
from tests.support.server import MakeServer, Server  # noqa: E402

# How long an example takes says something of the machine, not of the code.
settings.register_profile("headwater", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("headwater")

# All servers of the tests are on this machine, whatever proxy it has for others.
os.environ["NO_PROXY"] = "127.0.0.1"

# Seconds, by suite. Far beyond what a test takes on a busy machine: what hangs fails, with a trace of where.
_TIMEOUTS = {"integration": 300, "browser": 300, "spark": 600, "pipeline": 900, "connect": 900, "lab": 1200}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        seconds = _TIMEOUTS.get(item.path.relative_to(Path(__file__).parent).parts[0])
        if seconds is not None:
            item.add_marker(pytest.mark.timeout(seconds))


@pytest.fixture(autouse=True)
def _close_worlds() -> Iterator[None]:
    yield
    world.close_all()


@pytest.fixture
def make_server(tmp_path: Path) -> Iterator[MakeServer]:
    """Makes servers, not started yet; each ends with the test, even if that fails."""
    servers: list[Server] = []

    def make(data: Path | None = None, **options: Any) -> Server:
        server = Server(data or tmp_path / "data", **options)
        servers.append(server)
        return server

    yield make
    for server in servers:
        server.end()


@pytest.fixture
def server(make_server: MakeServer) -> Server:
    """A running server on an empty folder."""
    return make_server().start()


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A running server for all tests of a file, which must not mind each other's events."""
    server = Server(tmp_path_factory.mktemp("shared") / "data")
    try:
        yield server.start()
    finally:
        server.end()


@pytest.fixture
def make_lab(tmp_path: Path) -> Iterator[MakeLab]:
    """Makes labs, not started yet; each ends with the test, and leaves nothing running."""
    with make_labs(tmp_path) as make:
        yield make


@pytest.fixture(scope="module")
def whole_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """One lab with all its services for all tests of a file."""
    with make_labs(tmp_path_factory.mktemp("labs")) as make:
        lab = make("whole")
        lab.up()
        yield lab
