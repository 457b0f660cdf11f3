"""A look at a running lab from outside: memory and time from the system, health from the services themselves."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from headwater.lab import health, state
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
    """Bytes that it has in memory now."""
    uptime: float | None
    health: str
    """`ok`, or what is wrong."""


def look(folder: Path, lab: Lab) -> list[Seen]:
    """All services at once, as each may take a while to answer."""
    alive = state.is_running(folder)
    with ThreadPoolExecutor(max(1, len(lab.services))) as pool:
        return list(pool.map(lambda service: _see(lab, service, alive), lab.services))


def _see(lab: Lab, service: Running, alive: bool) -> Seen:
    phase: Phase = service.phase if alive or service.phase == "failed" else "down"
    pid = service.pid if alive else None
    memory = _memory(pid) if pid else None
    said = service.said or phase
    if alive and phase == "up":
        check = next(spec.health for spec in SERVICES if spec.name == service.name)
        said = health.ask(check, lab.values) or "ok"
    uptime = time.time() - service.started if pid and service.started else None
    port = lab.ports.get(service.name)
    return Seen(service.name, service.title, service.url, service.log, phase, pid, port, memory, uptime, said)


def _memory(pid: int) -> int | None:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("VmRSS:")), None)
