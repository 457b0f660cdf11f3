"""What Headwater knows already: the latest run of each connector, whoever told it."""

import logging

from headwater.client import AsyncClient, catalogue
from headwater.errors import HeadwaterError, NotFound
from headwater.shapes import marquez

log = logging.getLogger("headwater.watch")

_OVER = ("COMPLETED", "FAILED", "ABORTED")


class Latest:
    """A run: its id, and whether it goes on."""

    def __init__(self, run: marquez.Run) -> None:
        self.id = run.id
        self.goes_on = run.state not in _OVER


class KnownRuns:
    def __init__(self, url: str, namespace: str) -> None:
        # Lineage can wait, the watch cannot.
        self._client = AsyncClient(url, timeout=5.0)
        self._namespace = namespace

    async def close(self) -> None:
        await self._client.close()

    async def all(self) -> dict[str, Latest] | None:
        """Of all jobs of the namespace; None when nobody answers."""
        found = {}
        try:
            async for job in self._client.jobs(self._namespace):
                if job.latestRun is not None:
                    found[job.name] = Latest(job.latestRun)
        except NotFound:
            return {}
        except HeadwaterError as e:
            log.warning("what Headwater knows of earlier runs is not known: %s", e)
            return None
        return found

    async def of(self, name: str) -> Latest | None:
        """None where there is none; HeadwaterError when nobody answers."""
        try:
            answer = await self._client.ask(catalogue.job(self._namespace, name))
        except NotFound:
            return None
        run = answer.value.latestRun
        return Latest(run) if run is not None else None

    async def cluster(self, run: str) -> str:
        """Which Kafka cluster a run is of, if a watcher told it; HeadwaterError when nobody answers."""
        told = (await self._client.ask(catalogue.run_facets(run))).value.facets.get("headwater_connect")
        return str(told.get("cluster") or "") if isinstance(told, dict) else ""
