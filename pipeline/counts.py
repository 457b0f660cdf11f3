"""What the queries have done since the application started, from their progress."""

import threading
from typing import Any

from pyspark.sql.streaming import StreamingQueryListener

from pipeline.records import OBSERVED


class Count:
    def __init__(self) -> None:
        self.batches = self.read = self.malformed = self.late = 0

    def __str__(self) -> str:
        return f"{self.read:,} read, {self.malformed:,} malformed, {self.late:,} late, {self.batches:,} batches"


class Counts(StreamingQueryListener):  # type: ignore[misc]
    """By query. Late ones are counted as Spark does: groups of a window and a supplier that came too late."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, Count] = {}

    def of(self, name: str) -> Count:
        with self._lock:
            return self._counts.setdefault(name, Count())

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802
        progress = event.progress
        if not progress.numInputRows and not progress.batchDuration:
            return
        count = self.of(str(progress.name))
        observed = progress.observedMetrics.get(OBSERVED)
        count.batches += 1
        count.read += int(observed["read"]) if observed else int(progress.numInputRows)
        count.malformed += int(observed["malformed"]) if observed else 0
        count.late += sum(int(operator.numRowsDroppedByWatermark) for operator in progress.stateOperators)

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802
        pass

    def onQueryIdle(self, event: Any) -> None:  # noqa: N802
        pass

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
        pass
