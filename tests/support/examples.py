"""How many examples a property gets: few in `make test`; ten times as many, and new ones, in `make test-long`."""

import os

from hypothesis import HealthCheck, settings

TIMES = int(os.environ.get("EXAMPLES", "1"))


def examples(count: int) -> settings:
    """For a test with `@given`. How long an example takes says something of the machine, not of the code."""
    return settings(max_examples=count * TIMES, deadline=None, suppress_health_check=list(HealthCheck))
