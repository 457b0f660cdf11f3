"""Keeps queries running: says nothing about what they do.

A query that meets a schema it does not know is told about it and started again. One that fails for another reason
is started again after a pause: what was away may be back. Only if that does not help for long, the keeper gives up.
"""

import time
from collections.abc import Callable, Sequence

from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.sql.streaming import StreamingQuery

from pipeline.jobs import Context, Job
from pipeline.knowledge import Knowledge
from pipeline.records import Known, stumbled_over

# Seconds
LOOK = 0.2  # between looks at the queries
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0  # before a query that failed is started again
END_OF_BATCH = 15.0  # for a batch to come to its end before its query is stopped


class GivenUp(Exception):
    """A query fails whatever is done."""


class Kept:
    """A job and the query that runs for it at the moment."""

    def __init__(self, job: Job, every: float) -> None:
        self.job, self.every = job, every
        self.query: StreamingQuery | None = None
        self.known: Known | None = None
        self.stumbled: str | None = None  # over a schema that it did not know: what it said
        self.failures, self.next_start = 0, 0.0
        self.outdated_since: float | None = None

    @property
    def idle(self) -> bool:
        return self.query is None or not self.query.isActive or not self.query.status["isTriggerActive"]


class Keeper:
    def __init__(
        self,
        kept: Sequence[Kept],
        knowledge: Knowledge,
        context: Callable[[Known], Context],
        patience: int,
        say: Callable[[str], None],
    ) -> None:
        self._kept, self._knowledge, self._context = kept, knowledge, context
        self._patience, self._say = patience, say

    def look(self) -> None:
        """Once at each query: what it needs is done."""
        for kept in self._kept:
            if kept.query is None:
                if time.monotonic() >= kept.next_start:
                    self._start(kept)
            elif not kept.query.isActive:
                self._ended(kept)
            elif kept.job.decodes and kept.known is not self._knowledge.current:
                self._renew(kept)

    def stop(self) -> None:
        """Batches that have begun come to their end, if it does not take too long."""
        until = time.monotonic() + END_OF_BATCH
        try:
            for kept in self._kept:
                while not kept.idle and time.monotonic() < until:
                    time.sleep(LOOK / 4)
                if kept.query is not None:
                    kept.query.stop()
        except (Py4JError, OSError) as e:  # whoever ended us has ended Java, too
            self._say(f"Spark was gone before its queries were stopped ({type(e).__name__})")

    def _start(self, kept: Kept) -> None:
        try:
            if kept.stumbled is not None:
                self._teach(kept, kept.stumbled)
            kept.known = self._knowledge.current
            kept.query = kept.job.begin(self._context(kept.known), kept.every)
        except Py4JNetworkError:
            raise  # Java is gone: nothing can be started any more
        except Exception as e:  # whatever a catalog, a broker or Spark can say
            self._failed(kept, str(e))

    def _teach(self, kept: Kept, problem: str) -> None:
        assert kept.known is not None
        if kept.known is self._knowledge.current:  # else someone else has asked since
            self._say(f"{kept.job.name}: {self._knowledge.learn(self._context(kept.known).unknown_ids(problem))}")
        kept.stumbled = None

    def _ended(self, kept: Kept) -> None:
        query, kept.query = kept.query, None
        assert query is not None
        problem = str(query.exception() or "it was stopped by someone")
        if query.lastProgress is not None:
            kept.failures = 0  # it had done something before it failed
        if (unknown := stumbled_over(problem)) is not None:
            kept.stumbled, kept.next_start = problem, 0.0
            self._say(f"{kept.job.name}: met schema id {unknown}, which is new to it")
        else:
            self._failed(kept, problem)

    def _failed(self, kept: Kept, problem: str) -> None:
        kept.failures += 1
        what = in_short(problem)
        if kept.failures >= self._patience:
            raise GivenUp(f"{kept.job.name} failed {kept.failures} times in a row, the last time with: {what}")
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (kept.failures - 1))
        kept.next_start = time.monotonic() + pause
        self._say(f"{kept.job.name} failed and is started again in {pause:g} s: {what}")

    def _renew(self, kept: Kept) -> None:
        """Between two batches, so that no batch is done twice; in the midst of one, if there is never a moment."""
        now = time.monotonic()
        if kept.outdated_since is None:
            kept.outdated_since = now
        if not kept.idle and now - kept.outdated_since < END_OF_BATCH:
            return
        kept.outdated_since = None
        assert kept.query is not None
        kept.query.stop()
        kept.query = None
        self._start(kept)


def in_short(problem: str) -> str:
    """What Java says in a thousand lines: the first, and the first of the cause behind all others."""
    lines = [line.strip() for line in problem.splitlines() if line.strip()] or ["no reason was given"]
    first = lines[1] if lines[0].startswith("An error occurred while calling") and len(lines) > 1 else lines[0]
    causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    return first[:300] + (f" … {causes[-1][:300]}" if causes and causes[-1] not in first else "")
