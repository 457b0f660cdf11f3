"""A lab as tables to read."""

import time
from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from headwater.lab.state import Lab, ServiceState
from headwater.lab.status import ServiceStatus
from headwater.show.format import duration, table

_COLOURS = {
    "waiting": "dim",
    "preparing": "yellow",
    "starting": "yellow",
    "up": "green",
    "stopping": "yellow",
    "stopped": "yellow",
    "down": "dim",
    "failed": "bold red",
}


def progress(lab: Lab) -> Table:
    """While the lab starts or stops."""
    rows = table("service", "", "took", "")
    for service in lab.services:
        rows.add_row(service.title, _phase(service.phase), _elapsed(service), _detail(service))
    return rows


def line(service: ServiceState) -> str:
    """One change, for output that is not a terminal."""
    detail = _detail(service)
    took = f" in {duration(service.took)}" if service.phase == "up" else ""
    shown = f" ({detail})" if detail and service.phase in ("up", "failed") else ""
    return f"{service.title}: {service.phase}{took}{shown}"


def summary(lab: Lab) -> Table:
    """The addresses of a lab that is up."""
    rows = table("", "", "")
    for service in lab.services:
        more = ""
        if service.name == "s3":
            more = f"  (key {lab.values['s3-key']}, secret {lab.values['s3-secret']})"
        rows.add_row(service.title, duration(service.took), Text.assemble((service.url, "bold"), (more, "dim")))
    return rows


def status(lab: Lab, statuses: Sequence[ServiceStatus]) -> Table:
    rows = table("service", "", "pid", "port", "memory", "up for", "health")
    for service, current in zip(lab.services, statuses, strict=True):
        memory = f"{current.memory >> 20:,} MB" if current.memory else ""
        health = Text("ok", "green") if current.health == "ok" else Text(current.health, "red")
        rows.add_row(
            service.title,
            _phase(current.phase),
            str(current.pid or ""),
            str(lab.ports.get(service.name, "")),
            memory,
            duration(current.uptime) if current.uptime is not None else "",
            health,
        )
    return rows


def _phase(phase: str) -> Text:
    return Text(phase, _COLOURS[phase])


def _elapsed(service: ServiceState) -> str:
    if service.took is not None:
        return duration(service.took)
    running = service.started is not None and service.phase in ("preparing", "starting")
    return duration(time.time() - service.started) if running and service.started else ""


def _detail(service: ServiceState) -> str:
    return service.url if service.phase == "up" else service.message
