"""A lab as tables for people."""

import time
from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from headwater.lab.look import Seen
from headwater.lab.state import Lab, Running
from headwater.show.words import span, table

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
    """What is starting or ending."""
    made = table("service", "", "took", "")
    for service in lab.services:
        made.add_row(service.title, _phase(service.phase), _so_far(service), _where(service))
    return made


def line(service: Running) -> str:
    """One change, where nobody watches a table."""
    said = _where(service)
    took = f" in {span(service.took)}" if service.phase == "up" else ""
    told = f" ({said})" if said and service.phase in ("up", "failed") else ""
    return f"{service.title}: {service.phase}{took}{told}"


def summary(lab: Lab) -> Table:
    """Where everything is, once it is up."""
    made = table("", "", "")
    for service in lab.services:
        more = ""
        if service.name == "s3":
            more = f"  (key {lab.values['s3-key']}, secret {lab.values['s3-secret']})"
        made.add_row(service.title, span(service.took), Text.assemble((service.url, "bold"), (more, "dim")))
    return made


def status(lab: Lab, found: Sequence[Seen]) -> Table:
    made = table("service", "", "pid", "port", "memory", "up for", "health")
    for service, seen in zip(lab.services, found, strict=True):
        memory = f"{seen.memory >> 20:,} MB" if seen.memory else ""
        health = Text("ok", "green") if seen.health == "ok" else Text(seen.health, "red")
        made.add_row(
            service.title,
            _phase(seen.phase),
            str(seen.pid or ""),
            str(lab.ports.get(service.name, "")),
            memory,
            span(seen.uptime) if seen.uptime is not None else "",
            health,
        )
    return made


def _phase(phase: str) -> Text:
    return Text(phase, _COLOURS[phase])


def _so_far(service: Running) -> str:
    if service.took is not None:
        return span(service.took)
    running = service.started is not None and service.phase in ("preparing", "starting")
    return span(time.time() - service.started) if running and service.started else ""


def _where(service: Running) -> str:
    return service.url if service.phase == "up" else service.said
