"""Keeps queries running, whatever they do.

A query that meets an unknown schema gets it and is restarted. One that fails for another reason is restarted after a
pause: the service that was away may be back. Only after many failures in a row the supervisor gives up.
"""

import time
from collections.abc import Callable, Sequence

from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.sql.streaming import StreamingQuery

from pipeline.jobs import Context, Job
from pipeline.records import KnownSchemas, unknown_schema_id
from pipeline.schema_catalog import SchemaCatalog

# Seconds
CHECK_INTERVAL = 0.2
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0  # before a query that failed is restarted
END_OF_BATCH = 15.0  # for a batch to end before its query is stopped


class GivenUp(Exception):
    """A query fails again and again."""


class SupervisedQuery:
    """A job and the query that currently runs for it."""

    def __init__(self, job: Job, every: float) -> None:
        self.job, self.every = job, every
        self.query: StreamingQuery | None = None
        self.schemas: KnownSchemas | None = None
        self.unknown_schema: str | None = None  # the error of a query that met one
        self.failures, self.next_start = 0, 0.0
        self.outdated_since: float | None = None

    @property
    def idle(self) -> bool:
        return self.query is None or not self.query.isActive or not self.query.status["isTriggerActive"]


class QuerySupervisor:
    def __init__(
        self,
        supervised: Sequence[SupervisedQuery],
        catalog: SchemaCatalog,
        context: Callable[[KnownSchemas], Context],
        max_failures: int,
        log: Callable[[str], None],
    ) -> None:
        self._supervised, self._catalog, self._context = supervised, catalog, context
        self._max_failures, self._log = max_failures, log

    def check(self) -> None:
        """Starts and restarts what needs it."""
        for supervised in self._supervised:
            if supervised.query is None:
                if time.monotonic() >= supervised.next_start:
                    self._start(supervised)
            elif not supervised.query.isActive:
                self._ended(supervised)
            elif supervised.job.decodes and supervised.schemas is not self._catalog.current:
                self._restart_with_new_schemas(supervised)

    def stop(self) -> None:
        """Lets batches end first, if that does not take too long."""
        until = time.monotonic() + END_OF_BATCH
        try:
            for supervised in self._supervised:
                while not supervised.idle and time.monotonic() < until:
                    time.sleep(CHECK_INTERVAL / 4)
                if supervised.query is not None:
                    supervised.query.stop()
        except (Py4JError, OSError) as e:  # whoever ended us has ended Java, too
            self._log(f"Spark was gone before its queries were stopped ({type(e).__name__})")

    def _start(self, supervised: SupervisedQuery) -> None:
        try:
            if supervised.unknown_schema is not None:
                self._look_up_schemas(supervised, supervised.unknown_schema)
            supervised.schemas = self._catalog.current
            supervised.query = supervised.job.begin(self._context(supervised.schemas), supervised.every)
        except Py4JNetworkError:
            raise  # Java is gone: nothing can be started any more
        except Exception as e:  # of a catalog, a broker or Spark
            self._failed(supervised, str(e))

    def _look_up_schemas(self, supervised: SupervisedQuery, problem: str) -> None:
        assert supervised.schemas is not None
        if supervised.schemas is self._catalog.current:  # else another query has looked them up since
            ids = self._context(supervised.schemas).unknown_ids(problem)
            self._log(f"{supervised.job.name}: {self._catalog.look_up(ids)}")
        supervised.unknown_schema = None

    def _ended(self, supervised: SupervisedQuery) -> None:
        query, supervised.query = supervised.query, None
        assert query is not None
        problem = str(query.exception() or "it was stopped")
        if query.lastProgress is not None:
            supervised.failures = 0  # it worked before it failed
        if (unknown := unknown_schema_id(problem)) is not None:
            supervised.unknown_schema, supervised.next_start = problem, 0.0
            self._log(f"{supervised.job.name}: met the unknown schema id {unknown}")
        else:
            self._failed(supervised, problem)

    def _failed(self, supervised: SupervisedQuery, problem: str) -> None:
        supervised.failures += 1
        what = in_short(problem)
        name, failures = supervised.job.name, supervised.failures
        if failures >= self._max_failures:
            raise GivenUp(f"{name} failed {failures} times in a row, the last time with: {what}")
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (failures - 1))
        supervised.next_start = time.monotonic() + pause
        self._log(f"{name} failed; restart in {pause:g} s: {what}")

    def _restart_with_new_schemas(self, supervised: SupervisedQuery) -> None:
        """Between two batches, so that no batch is done twice; after a while within one, if they follow closely."""
        now = time.monotonic()
        if supervised.outdated_since is None:
            supervised.outdated_since = now
        if not supervised.idle and now - supervised.outdated_since < END_OF_BATCH:
            return
        supervised.outdated_since = None
        assert supervised.query is not None
        supervised.query.stop()
        supervised.query = None
        self._start(supervised)


def in_short(problem: str) -> str:
    """A thousand lines of Java in short: the first, and the first of the root cause."""
    lines = [line.strip() for line in problem.splitlines() if line.strip()] or ["no reason was given"]
    first = lines[1] if lines[0].startswith("An error occurred while calling") and len(lines) > 1 else lines[0]
    causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    return first[:300] + (f" … {causes[-1][:300]}" if causes and causes[-1] not in first else "")
