"""Delivery of events to a Headwater server by httpx alone, for programs without openlineage-python."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import msgspec

from headwater.emit.delivery import Delivery
from headwater.emit.transports import TIMEOUT, default_spool


class HttpTransport:
    """Raises what the delivery understands: the status of a response says whether to try again."""

    def __init__(self, url: str) -> None:
        key = os.environ.get("OPENLINEAGE_API_KEY")
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        local = urlsplit(url).hostname in ("127.0.0.1", "::1", "localhost")
        self._client = httpx.Client(base_url=url.rstrip("/"), timeout=TIMEOUT, headers=headers, trust_env=not local)

    def emit(self, event: Any) -> None:
        self._client.post("/api/v1/lineage", content=msgspec.json.encode(event)).raise_for_status()


def http_delivery(url: str, spool: Path | None = None) -> Delivery:
    """`spool`: the folder in which events wait until the server takes them, from this process or the next."""
    folder = spool if spool is not None else default_spool(f"watch {url.rstrip('/')}", None)
    return Delivery(HttpTransport(url), folder)
