"""What the lab needs to know of a service."""

import signal
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from headwater.errors import BadRequest
from headwater.lab.health import Check


@dataclass(frozen=True)
class Preparation:
    """Commands that must have succeeded once, one after the other, before the first start."""

    commands: Sequence[Sequence[str]]
    clears: Sequence[str] = ()
    """Folders that an attempt which was broken off may have left, and that would be in the way."""


@dataclass(frozen=True)
class Setting:
    """Told to a service over HTTP when it is up for the first time; whoever changes it later is not overruled."""

    method: str
    url: str
    body: Mapping[str, str]


@dataclass(frozen=True)
class Service:
    """One process. Every text may have `{names}`, which `Site.values` fills in."""

    name: str
    title: str
    url: str
    ports: Mapping[str, int]
    """Name of each port, and the number that people expect; the first one is the one to talk to. None for a client."""
    command: Sequence[str]
    health: Check
    memory: int
    """Megabytes of heap for a JVM; for others what they are expected to need."""
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
    """Runs from the installation of pyspark."""
    pipeline: bool = False
    """Belongs to the orders pipeline, which runs when asked for."""
    unprivileged: bool = False
    """Refuses to run as root, so root's lab runs it as somebody else."""
    lock: str | None = None
    """A file whose first line is the process that uses the folder it is in; what was killed leaves it behind."""
    when: Check | None = None
    """The first start waits for this to be well."""
    every: float | None = None
    """Seconds from the end of one run to the next, for what ends by itself. It is up when it has run once; a run that
    fails is shown and does not end the lab."""
    patience: float = 180.0
    """Seconds to the first right answer; far beyond what it takes on a busy machine with two cores, so that reaching it
    means that it hangs."""
    stop: signal.Signals = signal.SIGTERM
    grace: float = 10.0
    """Seconds that it may take to end by itself before it is killed."""

    @property
    def log(self) -> str:
        return f"logs/{self.name}.log"


def choose(services: Sequence[Service], names: Iterable[str]) -> list[Service]:
    """Those named and all that they need, in the order of the list."""
    known = {service.name: service for service in services}
    wanted: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in known:
            raise BadRequest(f"no service {name!r}; there are {', '.join(known)}")
        if name not in wanted:
            wanted.add(name)
            waiting += known[name].after
    return [service for service in services if service.name in wanted]
