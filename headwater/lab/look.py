"""A look at a running lab from outside: memory and time from the system, health from the services themselves."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from headwater.lab import health, state
from headwater.lab.metastore import POSTGRES
from headwater.lab.process import descendants
from headwater.lab.services import SERVICES
from headwater.lab.state import Lab, Phase, Running


class Seen(msgspec.Struct, frozen=True):
    name: str
    title: str
    url: str
    log: str
    phase: Phase
    pid: int | None
    port: int | None
    memory: int | None
    """Bytes that it and all that it started have in memory now."""
    uptime: float | None
    health: str
    """`ok`, or what is wrong."""


def look(folder: Path, lab: Lab) -> list[Seen]:
    """All services at once, as each may take a while to answer."""
    alive = state.is_running(folder)
    with ThreadPoolExecutor(max(1, len(lab.services))) as pool:
        return list(pool.map(lambda service: _see(folder, lab, service, alive), lab.services))


def _see(folder: Path, lab: Lab, service: Running, alive: bool) -> Seen:
    phase: Phase = service.phase if alive or service.phase == "failed" else "down"
    pid = service.pid if alive else None
    memory = _memory(pid) if pid else None
    said = service.said or phase
    if alive and phase == "up":
        check = next(spec.health for spec in (*SERVICES, POSTGRES) if spec.name == service.name)
        said = health.ask(check, {**lab.values, "folder": str(folder), "started": str(service.started)}) or "ok"
    uptime = time.time() - service.started if pid and service.started else None
    port = lab.ports.get(service.name)
    return Seen(service.name, service.title, service.url, service.log, phase, pid, port, memory, uptime, said)


def _memory(pid: int) -> int | None:
    """Of the process and its descendants, as Spark's JVM is a child of a child; what they share is counted once."""
    found = [_own_memory(each) for each in (pid, *descendants(pid))]
    return sum(filter(None, found)) if found[0] else None


def _own_memory(pid: int) -> int | None:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:  # it ended meanwhile
        return None
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:")), None)
