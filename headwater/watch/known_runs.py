"""The runs that Headwater knows already: the latest of each job, whoever reported it."""

import logging

from headwater.client import AsyncClient, catalogue
from headwater.errors import HeadwaterError, NotFound
from headwater.shapes import marquez

log = logging.getLogger("headwater.watch")

_OVER = ("COMPLETED", "FAILED", "ABORTED")


class KnownRun:
    def __init__(self, run: marquez.Run) -> None:
        self.id = run.id
        self.is_open = run.state not in _OVER


class KnownRuns:
    def __init__(self, url: str, namespace: str) -> None:
        # Lineage can wait, the watch cannot.
        self._client = AsyncClient(url, timeout=5.0)
        self._namespace = namespace

    async def close(self) -> None:
        await self._client.close()

    async def all(self) -> dict[str, KnownRun] | None:
        """The latest run of each job of the namespace; None when the server does not answer."""
        runs = {}
        try:
            async for job in self._client.jobs(self._namespace):
                if job.latestRun is not None:
                    runs[job.name] = KnownRun(job.latestRun)
        except NotFound:
            return {}
        except HeadwaterError as e:
            log.warning("cannot ask Headwater for earlier runs: %s", e)
            return None
        return runs

    async def latest(self, job: str) -> KnownRun | None:
        """None where there is none; HeadwaterError when the server does not answer."""
        try:
            answer = await self._client.ask(catalogue.job(self._namespace, job))
        except NotFound:
            return None
        run = answer.value.latestRun
        return KnownRun(run) if run is not None else None

    async def run_facet(self, run: str, name: str) -> dict[str, object]:
        """Empty where the run has no such facet; HeadwaterError when the server does not answer."""
        facet = (await self._client.ask(catalogue.run_facets(run))).value.facets.get(name)
        return facet if isinstance(facet, dict) else {}
