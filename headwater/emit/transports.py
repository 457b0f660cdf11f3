"""openlineage-python's transports, set up to fail fast: what fails is sent again later."""

import hashlib
import os
from pathlib import Path
from typing import Any

from headwater.emit.delivery import Transport

# A server that does not answer in this time is away; the events are on disk.
TIMEOUT = 5.0


def make_transport(url: str | None, configuration: dict[str, Any] | None) -> Transport:
    from openlineage.client import OpenLineageClient
    from openlineage.client.transport import get_default_factory

    url, configuration = _with_environment(url, configuration)
    if url is not None:
        more = {"auth": {"type": "api_key", "apiKey": key}} if (key := os.environ.get("OPENLINEAGE_API_KEY")) else {}
        configuration = {"type": "http", "url": url, "timeout": TIMEOUT, **more, **(configuration or {})}
    if configuration is not None:
        if configuration.get("type") == "http":
            no_retries = {"total": 0, "connect": 0, "read": 0}
            configuration = {"retry": no_retries, **configuration}
        return get_default_factory().create(configuration)
    transport: Transport = OpenLineageClient().transport
    return transport


def _with_environment(
    url: str | None, configuration: dict[str, Any] | None
) -> tuple[str | None, dict[str, Any] | None]:
    return url or (None if configuration else os.environ.get("OPENLINEAGE_URL")), configuration


def address_of(url: str | None, configuration: dict[str, Any] | None) -> dict[str, Any]:
    """For another process on this machine that has to send in our place; without secrets, as it is written to disk."""
    return {"url": url, "transport": {k: v for k, v in configuration.items() if k != "auth"} if configuration else None}


def default_spool(url: str | None, configuration: dict[str, Any] | None) -> Path:
    """A folder in the user's home for each destination of events."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    destination = repr(_with_environment(url, configuration))
    return Path(state) / "headwater" / "spool" / hashlib.sha256(destination.encode()).hexdigest()[:16]
