from collections.abc import Iterator

import pytest

from tests.browser.conftest import OpenPage
from tests.browser.views.visit import Visit, everything, send
from tests.support.server import Server


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with the demo's events and a shop's pipeline as of now."""
    server = Server(tmp_path_factory.mktemp("shop") / "data")
    try:
        send(server.start(), everything())
        yield server
    finally:
        server.end()


@pytest.fixture
def visit(open_page: OpenPage, shop: Server) -> Visit:
    return Visit(open_page, shop)
