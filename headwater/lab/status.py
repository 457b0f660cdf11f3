"""The status of a running lab: memory and uptime from the system, health from the services themselves."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from headwater.lab import health, state
from headwater.lab.metastore import POSTGRES
from headwater.lab.process import descendants
from headwater.lab.services import SERVICES
from headwater.lab.state import Lab, Phase, ServiceState


class ServiceStatus(msgspec.Struct, frozen=True):
    name: str
    title: str
    url: str
    log: str
    phase: Phase
    pid: int | None
    port: int | None
    memory: int | None
    """Bytes, with all processes that it started."""
    uptime: float | None
    health: str
    """`ok`, or the problem."""


def read_status(folder: Path, lab: Lab) -> list[ServiceStatus]:
    """Checks all services in parallel, as each may take a while to answer."""
    alive = state.is_running(folder)
    with ThreadPoolExecutor(max(1, len(lab.services))) as pool:
        return list(pool.map(lambda service: _service_status(folder, lab, service, alive), lab.services))


def _service_status(folder: Path, lab: Lab, service: ServiceState, alive: bool) -> ServiceStatus:
    phase: Phase = service.phase if alive or service.phase == "failed" else "down"
    pid = service.pid if alive else None
    memory = _memory(pid) if pid else None
    result = service.message or phase
    if alive and phase == "up":
        check = next(spec.health for spec in (*SERVICES, POSTGRES) if spec.name == service.name)
        result = health.problem(check, {**lab.values, "folder": str(folder), "started": str(service.started)}) or "ok"
    uptime = time.time() - service.started if pid and service.started else None
    port = lab.ports.get(service.name)
    return ServiceStatus(
        service.name, service.title, service.url, service.log, phase, pid, port, memory, uptime, result
    )


def _memory(pid: int) -> int | None:
    """Of the process and its descendants (Spark's JVM is a grandchild); shared memory is counted once."""
    sizes = [_own_memory(each) for each in (pid, *descendants(pid))]
    return sum(filter(None, sizes)) if sizes[0] else None


def _own_memory(pid: int) -> int | None:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:  # it ended meanwhile
        return None
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:")), None)
