"""Servers that end with their test, and realistic events."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.register_assert_rewrite("tests.integration.support")

from tests.integration.support import Server  # noqa: E402

Start = Callable[..., Server]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What hangs fails, with a trace of where."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(120))


@pytest.fixture
def make_server(tmp_path: Path) -> Iterator[Start]:
    """Makes servers, not started yet; each ends with the test, even if that fails."""
    made: list[Server] = []

    def make(data: Path | None = None, **options: Any) -> Server:
        server = Server(data or tmp_path / "data", **options)
        made.append(server)
        return server

    yield make
    for server in made:
        server.end()


@pytest.fixture
def server(make_server: Start) -> Server:
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
