"""One run of a streaming query: what is known of it, and the events that report it."""

import time
from typing import Any

from headwater.emit.events import SPARK, Json
from headwater.spark import events
from headwater.spark.columns import Lineage
from headwater.spark.events import Output, Run
from headwater.spark.progress import Progress
from headwater.spark.sinks import Sink

# Spark interrupts its own threads to stop a query, and may report that as a failure of the query.
_INTERRUPTED = ("InterruptedException", "InterruptedIOException", "ClosedByInterruptException")


class Query:
    def __init__(self, run: Run, spark_query: Any, sink: Sink, started: str) -> None:
        self.run, self.spark_query, self.sink, self.started = run, spark_query, sink, started
        self.lineage: Lineage | None = None
        self.outputs: dict[tuple[str, str], Output] = {}
        self.unknown: dict[str, tuple[str, ...]] = {}
        self.progress = Progress()
        self.reported_at = time.monotonic()
        self.stopped = False  # by its stop()
        self.ended = False

    def start(self) -> Json:
        inputs = events.inputs_of(self.lineage) if self.lineage else []
        return events.event(
            "START", self.run, inputs, self._outputs(True), events.extraction_error(self.unknown), self.started
        )

    def add_output(self, output: Output, unknown: tuple[str, ...]) -> Json:
        """A batch wrote something for the first time."""
        self.outputs[output.dataset.key] = output
        self.unknown[output.dataset.name] = unknown
        inputs = events.inputs_of(self.lineage) if self.lineage else []
        return events.event("RUNNING", self.run, inputs, self._outputs(True), events.extraction_error(self.unknown))

    def running(self) -> Json:
        return self._progress_event("RUNNING", {})

    def complete(self) -> Json:
        return self._end("COMPLETE", {})

    def fail(self, message: str) -> Json:
        return self._end("FAIL", events.error(message))

    def abort(self, reason: str, signal: str | None = None) -> Json:
        """`signal`: the one that the job got before."""
        reason = f"{reason}, after {signal}" if signal else reason
        return self._end("ABORT", {"headwater_end": SPARK.own_facet(reason=reason)})

    def terminated(self, message: str | None, signal: str | None = None) -> Json:
        """Spark reports that the query ended; `message` is the error, if there was one."""
        if self.stopped:
            return self.abort("stop() was called", signal)
        if message is None:
            return self.complete() if self.sink.ends else self.abort("the query was stopped", signal)
        if _is_interruption(message):
            return self.abort("the query was interrupted", signal)
        return self.fail(message)

    def _end(self, kind: str, facets: Json) -> Json:
        self.ended = True
        return self._progress_event(kind, facets)

    def _progress_event(self, kind: str, facets: Json) -> Json:
        datasets = list(self.lineage.inputs) if self.lineage else []
        inputs = [events.named(d, inputFacets=self.progress.input_facets(d, only=len(datasets) == 1)) for d in datasets]
        outputs = self._outputs(False)
        event = events.event(kind, self.run, inputs, outputs, self.progress.run_facet() | facets)
        self.progress.reset()
        self.reported_at = time.monotonic()
        return event

    def _outputs(self, facets: bool) -> list[Json]:
        statistics = self.progress.output_facets() if len(self.outputs) == 1 else {}
        return [
            events.named(o.dataset, o.facets if facets else None, outputFacets=statistics)
            for o in self.outputs.values()
        ]


def _is_interruption(message: str) -> bool:
    """Whether that is the cause, and not only somewhere in a stack trace."""
    causes = [line for line in message.splitlines() if line.startswith("Caused by:")]
    return any(name in line for line in (*message.splitlines()[:1], *causes[-1:]) for name in _INTERRUPTED)
