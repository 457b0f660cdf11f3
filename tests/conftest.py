from collections.abc import Iterator

import pytest

from tests.support import world


@pytest.fixture(autouse=True)
def _close_worlds() -> Iterator[None]:
    yield
    world.close_all()
