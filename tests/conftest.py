from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.support import world

# How long an example takes says something of the machine, not of the code.
settings.register_profile("headwater", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("headwater")


@pytest.fixture(autouse=True)
def _close_worlds() -> Iterator[None]:
    yield
    world.close_all()
