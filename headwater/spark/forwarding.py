"""Events of OpenLineage's listener about batches, corrected on their way to the server.

The listener writes its events to a file. Here they are read, corrected and sent on like our own: so they wait on disk
while the server is away, and a killed driver's runs are ended by others. Corrected are the columns, of which the
listener reports some; a statement that failed but is called complete; an application whose Python code failed.

Spark notifies us of each statement in the same thread as the listener, just after it. So the last end of a statement
that is in the file then is that of this statement.
"""

import contextlib
import json
import logging
import time
from collections import deque
from pathlib import Path
from typing import Any, NamedTuple

from headwater.emit import folders
from headwater.emit.events import Json
from headwater.emit.open_runs import aborted, is_end
from headwater.emit.run_reporter import RunReporter
from headwater.spark import events, hooks
from headwater.spark.commands import Written

log = logging.getLogger("headwater.spark")

# Spark notifies us of a statement within milliseconds after the listener. After this time it never will.
MAX_WAIT = 3.0
# When so much more of the file is read, its disk space is freed.
FREE_BYTES = 16 << 20
# The listener calls a failed run complete, too, right after the failure: so many failed runs are remembered.
REMEMBERED_FAILURES = 100

COLUMNS = "columnLineage"
# Facets about changes that a failed statement has not made.
_CHANGES = ("lifecycleStateChange", "version", "schema", COLUMNS)


class StatementOutcome(NamedTuple):
    """What the agent knows of a statement that ended."""

    written: Written | None = None
    problem: str | None = None
    creates: bool = False
    of_stream: bool = False


class _ListenerEvent(NamedTuple):
    begin: int  # of its line in the file
    end: int
    read_at: float
    event: Json


class Forwarder:
    """For the agent's thread; only `position` is for any."""

    def __init__(self, reporter: RunReporter, interval: float) -> None:
        self._runs, self._reporter, self._interval = reporter.open_runs, reporter, interval
        self._file = self._runs.listener_file
        self._position = self._freed = 0
        self._waiting: deque[_ListenerEvent] = deque()
        self._outcomes: dict[str, StatementOutcome] = {}
        self._notified = self.position()  # Spark does not notify us of earlier statements
        self._open: dict[str, Json] = {}
        self._undecided: dict[str, Json] = {}
        self._failed: deque[str] = deque(maxlen=REMEMBERED_FAILURES)
        self._reported_at: dict[str, float] = {}
        self._is_over = False
        self.failure: str | None = None  # of the application
        self.application: tuple[str, str, str] | None = None  # namespace, name, run id

    def position(self) -> int:
        """How much the listener has written so far."""
        return _size(self._file)

    def executed(self, position: int, outcome: StatementOutcome) -> None:
        """Spark notified us of a statement when the listener had written so much."""
        self._read()
        ends = [w.event for w in self._waiting if w.end <= position and _is_end_of_statement(w.event)]
        if ends and ends[-1]["run"]["runId"] not in self._outcomes:
            self._outcomes[ends[-1]["run"]["runId"]] = outcome
        self._notified = max(self._notified, position)
        self.forward()

    def forward(self, everything: bool = False) -> None:
        """Sends the events that need not wait for Spark to notify us."""
        if self._is_over:
            return
        self._read()
        sent = False
        while self._waiting and (everything or not self._must_wait(self._waiting[0])):
            self._forward(self._waiting.popleft().event)
            sent = True
        if sent:
            self._runs.save_position(self._waiting[0].begin if self._waiting else self._position)
            if self._position - self._freed > FREE_BYTES:
                self._freed = self._position
                folders.free_beginning(self._file, self._freed)

    def abort(self, reason: str) -> None:
        """All runs that have not ended; what the listener writes from here on is ignored."""
        if self._is_over:
            return
        self.forward(everything=True)
        for event in self._open.values():
            self._reporter.end(aborted(event, None, reason))
        self._open.clear()
        self._is_over = True
        self._runs.save_position(None)

    def _read(self) -> None:
        if _size(self._file) <= self._position:
            return
        with self._file.open("rb") as file:
            file.seek(self._position)
            new = file.read()
        for line in new[: new.rfind(b"\n") + 1].splitlines(keepends=True):
            begin, self._position = self._position, self._position + len(line)
            with contextlib.suppress(ValueError):
                self._waiting.append(_ListenerEvent(begin, self._position, time.monotonic(), json.loads(line)))

    def _must_wait(self, waiting: _ListenerEvent) -> bool:
        if waiting.end <= self._notified or not _is_end_of_statement(waiting.event):
            return False
        return time.monotonic() - waiting.read_at < MAX_WAIT

    def _forward(self, event: Json) -> None:
        run_id, kind = str(event["run"]["runId"]), _job_type(event)
        if _is_ignored(event, kind):
            return
        if is_end(event):
            start = self._undecided.pop(run_id, None)
            if start is not None:
                if self._outcomes.get(run_id, StatementOutcome()).of_stream:
                    del self._outcomes[run_id]
                    return
                self._start(start, run_id)
            self._end(event, run_id, kind.get("jobType") == "APPLICATION")
        elif run_id in self._undecided:
            return
        elif run_id not in self._open:
            if kind.get("jobType") == "APPLICATION":
                self.application = (event["job"]["namespace"], event["job"]["name"], run_id)
            elif hooks.was_in_batch(event["eventTime"]):
                self._undecided[run_id] = event  # perhaps a write of a foreachBatch function: its end will show
                return
            self._start(event, run_id)
        elif time.monotonic() - self._reported_at[run_id] >= self._interval:
            # The listener repeats the same event with every job and stage of a statement.
            self._reported_at[run_id] = time.monotonic()
            self._reporter.running(_without_columns(event))

    def _start(self, event: Json, run_id: str) -> None:
        self._open[run_id] = _without_columns(event)
        self._reported_at[run_id] = time.monotonic()
        self._reporter.start(self._open[run_id])

    def _end(self, event: Json, run_id: str, is_application: bool) -> None:
        self._open.pop(run_id, None)
        self._reported_at.pop(run_id, None)
        outcome = self._outcomes.pop(run_id, None)
        if run_id in self._failed:
            return
        if is_application and self.failure is not None:
            outcome = StatementOutcome(problem=self.failure)
        if outcome is not None:
            try:
                event = corrected(event, outcome)
            except Exception:
                log.exception("cannot report the columns of %s", event["job"]["name"])
        if event["eventType"] == "FAIL":
            self._failed.append(run_id)
        self._reporter.end(event)


def _is_ignored(event: Json, kind: Json) -> bool:
    """Micro-batches, as the agent reports the query as one run; and RDDs that write nothing: they never end."""
    if kind.get("processingType") == "STREAMING":
        return True
    return kind.get("jobType") == "RDD_JOB" and not event["outputs"]


def corrected(event: Json, outcome: StatementOutcome) -> Json:
    """The end of a statement, with what the agent knows of it."""
    run = event["run"]
    if outcome.problem is not None:
        outputs = [] if outcome.creates else [_named_only(output) for output in event["outputs"]]
        failed = run | {"facets": events.error(outcome.problem) | run["facets"]}
        return event | {"eventType": "FAIL", "run": failed, "outputs": outputs}
    if outcome.written is None:
        return event
    sink, lineage, schema = outcome.written
    unknown = events.extraction_error({event["job"]["name"]: lineage.unknown})
    ours = {dataset.key: events.output_of(dataset, lineage, schema).facets for dataset in sink.datasets}
    outputs = [_with_columns(output, ours) for output in event["outputs"]]
    return event | {
        "run": run | {"facets": run["facets"] | unknown},
        "inputs": event["inputs"] or events.inputs_of(lineage),
        "outputs": outputs or [events.named(dataset, ours[dataset.key]) for dataset in sink.datasets],
    }


def _with_columns(output: Json, ours: dict[tuple[str, str], Json]) -> Json:
    facets = ours.get((output["namespace"], output["name"]))
    if facets is None and len(ours) == 1:
        (facets,) = ours.values()  # the same, by another name
    return output if facets is None else output | {"facets": output["facets"] | {COLUMNS: facets[COLUMNS]}}


def _named_only(output: Json) -> Json:
    facets = {name: facet for name, facet in output.get("facets", {}).items() if name not in _CHANGES}
    return {"namespace": output["namespace"], "name": output["name"], "facets": facets}


def _without_columns(event: Json) -> Json:
    """Ours come with the end; until then the listener's would replace those of the last run."""
    return event | {
        "outputs": [
            output | {"facets": {name: facet for name, facet in output.get("facets", {}).items() if name != COLUMNS}}
            for output in event["outputs"]
        ]
    }


def _job_type(event: Json) -> dict[str, Any]:
    facet: dict[str, Any] = event["job"].get("facets", {}).get("jobType", {})
    return facet


def _is_end_of_statement(event: Json) -> bool:
    return is_end(event) and _job_type(event).get("jobType") == "SQL_JOB"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
