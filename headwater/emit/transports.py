"""openlineage-python's transports, set up so that they do not wait for long: what fails is sent again later."""

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

    url, configuration = _filled(url, configuration)
    if url is not None:
        more = {"auth": {"type": "api_key", "apiKey": key}} if (key := os.environ.get("OPENLINEAGE_API_KEY")) else {}
        configuration = {"type": "http", "url": url, "timeout": TIMEOUT, **more, **(configuration or {})}
    if configuration is not None:
        if configuration.get("type") == "http":
            none = {"total": 0, "connect": 0, "read": 0}
            configuration = {"retry": none, **configuration}
        return get_default_factory().create(configuration)
    transport: Transport = OpenLineageClient().transport
    return transport


def _filled(url: str | None, configuration: dict[str, Any] | None) -> tuple[str | None, dict[str, Any] | None]:
    return url or (None if configuration else os.environ.get("OPENLINEAGE_URL")), configuration


def address_of(url: str | None, configuration: dict[str, Any] | None) -> dict[str, Any]:
    """For another process on this machine that has to send in our place; without secrets, as it lies on disk."""
    return {"url": url, "transport": {k: v for k, v in configuration.items() if k != "auth"} if configuration else None}


def default_spool(url: str | None, configuration: dict[str, Any] | None) -> Path:
    """A folder of the user's for each place that events go to."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    place = repr(_filled(url, configuration))
    return Path(state) / "headwater" / "spool" / hashlib.sha256(place.encode()).hexdigest()[:16]
