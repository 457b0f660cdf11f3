"""What the lab needs to know about a service."""

import signal
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from headwater.errors import BadRequest
from headwater.lab.health import Check


@dataclass(frozen=True)
class Preparation:
    """Commands that run once, one after the other, before the first start."""

    commands: Sequence[Sequence[str]]
    clears: Sequence[str] = ()
    """Folders that an interrupted attempt may have left behind."""


@dataclass(frozen=True)
class Setting:
    """Sent to a service over HTTP when it is up for the first time; later changes by others stay."""

    method: str
    url: str
    body: Mapping[str, str]


@dataclass(frozen=True)
class ServiceSpec:
    """One process. Texts may have `{placeholders}`, which `placeholders.fill` replaces."""

    name: str
    title: str
    url: str
    ports: Mapping[str, int]
    """Each port by name, with its usual number; clients use the first. Empty for a service that is only a client."""
    command: Sequence[str]
    health: Check
    memory: int
    """Megabytes: the heap of a JVM; for others an estimate."""
    after: Sequence[str] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    """Written before every start, as ports may have changed."""
    folders: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    prepare: Preparation | None = None
    setting: Setting | None = None
    jars: str | None = None
    """The profile of pom.xml that it needs."""
    java: bool = True
    spark: bool = False
    """Runs from the installed pyspark."""
    pipeline: bool = False
    """Part of the orders pipeline, which runs on request."""
    unprivileged: bool = False
    """Refuses to run as root, so a lab of root runs it as another user."""
    lock: str | None = None
    """A file whose first line is the process that uses its folder; a killed process leaves it behind."""
    when: Check | None = None
    """The first start waits for this check."""
    every: float | None = None
    """For a job that ends by itself: seconds from the end of one run to the start of the next. It is up when it has
    run once; a failed run is shown and does not end the lab."""
    patience: float = 180.0
    """Seconds to the first healthy answer; far more than it takes on a busy machine with two cores, so that reaching
    it means that the service hangs."""
    stop: signal.Signals = signal.SIGTERM
    grace: float = 10.0
    """Seconds to end by itself before it is killed."""

    @property
    def log(self) -> str:
        return f"logs/{self.name}.log"


def choose(services: Sequence[ServiceSpec], names: Iterable[str]) -> list[ServiceSpec]:
    """Those named and everything that they need, in the order of the list."""
    by_name = {service.name: service for service in services}
    chosen: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in by_name:
            raise BadRequest(f"no service {name!r}; available: {', '.join(by_name)}")
        if name not in chosen:
            chosen.add(name)
            waiting += by_name[name].after
    return [service for service in services if service.name in chosen]
