"""Free ports for tests: each suite and each of its processes has a range of its own, so that none takes another's."""

import itertools
import os
import random
import socket
from contextlib import suppress

SUITE_NUMBER = "HEADWATER_SUITE_NUMBER"

# Below the ports that the system gives to clients (from 32,768), so that nobody comes before the server that is to
# have one.
_FIRST_PORT, _PORTS, _PROCESSES = 20_000, 390, 4
_process = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_range = _FIRST_PORT + (int(os.environ.get(SUITE_NUMBER, "0")) * _PROCESSES + _process % _PROCESSES) * _PORTS
_numbers = itertools.count(random.randrange(_PORTS))


def free_port() -> int:
    for number in itertools.islice(_numbers, _PORTS):
        port = _range + number % _PORTS
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")
