"""Schemas of topics, from a registry with Confluent's API."""

import asyncio
import logging
import time
from collections.abc import Iterable
from typing import TypeVar
from urllib.parse import quote, urlsplit

import httpx
import msgspec

from headwater.watch.fields import Field
from headwater.watch.registry.schemas import parse

T = TypeVar("T")
log = logging.getLogger("headwater.watch")

# Schemas change rarely, and a registry has other things to do.
EVERY = 30.0
_AT_ONCE = 8


class _Reference(msgspec.Struct):
    subject: str
    version: int


class _Latest(msgspec.Struct):
    version: int
    schema: str
    id: int = 0
    schemaType: str = "AVRO"
    references: list[_Reference] = []


class Registry:
    """A requested schema is looked up by the next `refresh`."""

    def __init__(self, url: str, timeout: float = 10.0, every: float = EVERY) -> None:
        self.url = url.rstrip("/")
        local = urlsplit(url).hostname in ("127.0.0.1", "::1", "localhost")
        self._http = httpx.AsyncClient(timeout=timeout, trust_env=not local)
        self._every = every
        self._requested: set[str] = set()
        self._schemas: dict[str, tuple[int, Field | None]] = {}
        self._looked_up: dict[str, float] = {}
        self._subjects: frozenset[str] = frozenset()
        self._listed = 0.0
        self.problem = ""

    async def close(self) -> None:
        await self._http.aclose()

    def schema(self, topic: str, part: str) -> Field | None:
        """None if it is not known yet."""
        subject = f"{topic}-{part}"
        self._requested.add(subject)
        known = self._schemas.get(subject)
        return known[1] if known is not None else None

    async def refresh(self) -> bool:
        """Whether a schema has changed. A registry that is away changes nothing."""
        now = time.monotonic()
        new = {subject for subject in self._requested if subject not in self._looked_up}
        if not new and now - self._listed < self._every:
            return False
        try:
            self._subjects = frozenset(await self._get("/subjects", list[str]))
            self._listed = now
            due = [s for s in self._requested if now - self._looked_up.get(s, -self._every) >= self._every]
            changed = await self._look_up(due, now)
        except (httpx.HTTPError, msgspec.MsgspecError) as e:
            if not self.problem:
                self.problem = f"cannot read schemas from {_bare(self.url)}: {str(e) or type(e).__name__}"
                log.warning("%s; columns stay as they are until it answers", self.problem)
            return False
        if self.problem:
            log.warning("the registry answers again")
        self.problem = ""
        return changed

    async def _look_up(self, subjects: Iterable[str], now: float) -> bool:
        gate = asyncio.Semaphore(_AT_ONCE)

        async def one(subject: str) -> bool:
            if subject not in self._subjects:
                self._looked_up[subject] = now
                return self._schemas.pop(subject, None) is not None
            async with gate:
                try:
                    latest = await self._get(f"/subjects/{quote(subject, safe='')}/versions/latest", _Latest)
                except httpx.HTTPStatusError as e:
                    if e.response.status_code != 404:
                        raise
                    return False
            self._looked_up[subject] = now
            known = self._schemas.get(subject)
            if known is not None and known[0] == latest.version:
                return False
            schema = parse(latest.schemaType or "AVRO", latest.schema, await self._references(latest, 4))
            if schema is None:
                log.warning("cannot parse the schema of %s (%s)", subject, latest.schemaType)
            self._schemas[subject] = (latest.version, schema)
            return True

        return any([*await asyncio.gather(*(one(subject) for subject in subjects))])

    async def _references(self, latest: _Latest, depth: int) -> list[str]:
        """The texts of the schemas that a schema refers to, after those that they refer to."""
        texts: list[str] = []
        for reference in latest.references if depth else ():
            path = f"/subjects/{quote(reference.subject, safe='')}/versions/{reference.version}"
            other = await self._get(path, _Latest)
            texts += [*await self._references(other, depth - 1), other.schema]
        return texts

    async def _get(self, path: str, shape: type[T]) -> T:
        response = await self._http.get(self.url + path, headers={"Accept": "application/json"})
        response.raise_for_status()
        return msgspec.json.decode(response.content, type=shape)


def _bare(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
