"""What OpenLineage's listener says of batches, completed on its way to the server.

The listener writes its events to a file. Here they are read, put right and sent on like our own: so they wait on disk
while the server is away, and a killed driver's runs are ended by others. Put right are the columns, which the
listener tells in part; a statement that failed and is called complete; an application whose Python code failed.

Spark tells us of each statement in the same thread as the listener, just after it. So the last end of a statement
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
from headwater.emit.open_runs import OpenRuns, aborted, is_end
from headwater.emit.run_reporter import Telling
from headwater.spark import events, hooks
from headwater.spark.commands import Written

log = logging.getLogger("headwater.spark")

# We are told of a statement within milliseconds after the listener. Longer than this is never.
HOLD = 3.0
# So much of the file is read, and need not be on the disk any more.
LARGE = 16 << 20

# The listener calls a run that failed complete right after it.
FEW = 100

COLUMNS = "columnLineage"
# What a statement that failed has not done.
_NOT_DONE = ("lifecycleStateChange", "version", "schema", COLUMNS)


class Verdict(NamedTuple):
    """What we know of a statement."""

    written: Written | None = None
    problem: str | None = None
    creates: bool = False
    of_stream: bool = False


class _Heard(NamedTuple):
    begin: int  # of its line
    mark: int  # the end of it
    at: float
    event: Json


class Forwarder:
    """For the agent's thread; only `mark` is for any."""

    def __init__(self, runs: OpenRuns, telling: Telling, interval: float) -> None:
        self._runs, self._telling, self._interval = runs, telling, interval
        self._file = runs.listener_file
        self._position = self._freed = 0
        self._waiting: deque[_Heard] = deque()
        self._verdicts: dict[str, Verdict] = {}
        self._answered = self.mark()  # of what was said before, nobody will tell us
        self._open: dict[str, Json] = {}
        self._doubtful: dict[str, Json] = {}
        self._failed: deque[str] = deque(maxlen=FEW)
        self._told: dict[str, float] = {}
        self._is_over = False
        self.failure: str | None = None  # of the application
        self.application: tuple[str, str, str] | None = None  # namespace, name, run id

    def mark(self) -> int:
        """How much the listener has said so far."""
        return _size(self._file)

    def executed(self, mark: int, verdict: Verdict) -> None:
        """Spark told of a statement when the listener had said so much."""
        self._read()
        ends = [h.event for h in self._waiting if h.mark <= mark and _is_end_of_statement(h.event)]
        if ends and ends[-1]["run"]["runId"] not in self._verdicts:
            self._verdicts[ends[-1]["run"]["runId"]] = verdict
        self._answered = max(self._answered, mark)
        self.pump()

    def pump(self, everything: bool = False) -> None:
        """Sends what need not wait for a word of Spark."""
        if self._is_over:
            return
        self._read()
        sent = False
        while self._waiting and (everything or not self._must_wait(self._waiting[0])):
            heard = self._waiting.popleft()
            self._tell(heard.event)
            sent = True
        if sent:
            self._runs.read_so_far(self._waiting[0].begin if self._waiting else self._position)
            if self._position - self._freed > LARGE:
                self._freed = self._position
                folders.free(self._file, self._freed)

    def abort(self, reason: str) -> None:
        """All that has not ended; what the listener says from here on is not heard."""
        if self._is_over:
            return
        self.pump(everything=True)
        for event in self._open.values():
            self._telling.ends(aborted(event, None, reason))
        self._open.clear()
        self._is_over = True
        self._runs.read_so_far(None)

    def _read(self) -> None:
        if _size(self._file) <= self._position:
            return
        with self._file.open("rb") as file:
            file.seek(self._position)
            new = file.read()
        for line in new[: new.rfind(b"\n") + 1].splitlines(keepends=True):
            begin, self._position = self._position, self._position + len(line)
            with contextlib.suppress(ValueError):
                self._waiting.append(_Heard(begin, self._position, time.monotonic(), json.loads(line)))

    def _must_wait(self, heard: _Heard) -> bool:
        if heard.mark <= self._answered or not _is_end_of_statement(heard.event):
            return False
        return time.monotonic() - heard.at < HOLD

    def _tell(self, event: Json) -> None:
        run_id, kind = str(event["run"]["runId"]), _job_type(event)
        if _is_unwanted(event, kind):
            return
        if is_end(event):
            start = self._doubtful.pop(run_id, None)
            if start is not None:
                if self._verdicts.get(run_id, Verdict()).of_stream:
                    del self._verdicts[run_id]
                    return
                self._begins(start, run_id)
            self._ends(event, run_id, kind.get("jobType") == "APPLICATION")
        elif run_id in self._doubtful:
            return
        elif run_id not in self._open:
            if kind.get("jobType") == "APPLICATION":
                self.application = (event["job"]["namespace"], event["job"]["name"], run_id)
            elif hooks.was_in_batch(event["eventTime"]):
                self._doubtful[run_id] = event  # perhaps what a function of foreachBatch writes: its end will show
                return
            self._begins(event, run_id)
        elif time.monotonic() - self._told[run_id] >= self._interval:
            # It says the same with every job and stage of a statement.
            self._told[run_id] = time.monotonic()
            self._telling.goes_on(_without_columns(event))

    def _begins(self, event: Json, run_id: str) -> None:
        self._open[run_id] = _without_columns(event)
        self._told[run_id] = time.monotonic()
        self._telling.begins(self._open[run_id])

    def _ends(self, event: Json, run_id: str, is_application: bool) -> None:
        self._open.pop(run_id, None)
        self._told.pop(run_id, None)
        verdict = self._verdicts.pop(run_id, None)
        if run_id in self._failed:
            return
        if is_application and self.failure is not None:
            verdict = Verdict(problem=self.failure)
        if verdict is not None:
            try:
                event = put_right(event, verdict)
            except Exception:
                log.exception("the columns of %s could not be told", event["job"]["name"])
        if event["eventType"] == "FAIL":
            self._failed.append(run_id)
        self._telling.ends(event)


def _is_unwanted(event: Json, kind: Json) -> bool:
    """Micro-batches, as the agent tells the query as one run; and RDDs that write nothing: they never end."""
    if kind.get("processingType") == "STREAMING":
        return True
    return kind.get("jobType") == "RDD_JOB" and not event["outputs"]


def put_right(event: Json, verdict: Verdict) -> Json:
    """The end of a statement, with what we know of it."""
    run = event["run"]
    if verdict.problem is not None:
        outputs = [] if verdict.creates else [_named_only(output) for output in event["outputs"]]
        failed = run | {"facets": events.error(verdict.problem) | run["facets"]}
        return event | {"eventType": "FAIL", "run": failed, "outputs": outputs}
    if verdict.written is None:
        return event
    sink, found, schema = verdict.written
    unknown = events.extraction_error({event["job"]["name"]: found.unknown})
    ours = {dataset.key: events.output_of(dataset, found, schema).facets for dataset in sink.datasets}
    outputs = [_with_columns(output, ours) for output in event["outputs"]]
    return event | {
        "run": run | {"facets": run["facets"] | unknown},
        "inputs": event["inputs"] or events.inputs_of(found),
        "outputs": outputs or [events.named(dataset, ours[dataset.key]) for dataset in sink.datasets],
    }


def _with_columns(output: Json, ours: dict[tuple[str, str], Json]) -> Json:
    facets = ours.get((output["namespace"], output["name"]))
    if facets is None and len(ours) == 1:
        (facets,) = ours.values()  # the same, by another name
    return output if facets is None else output | {"facets": output["facets"] | {COLUMNS: facets[COLUMNS]}}


def _named_only(output: Json) -> Json:
    facets = {name: facet for name, facet in output.get("facets", {}).items() if name not in _NOT_DONE}
    return {"namespace": output["namespace"], "name": output["name"], "facets": facets}


def _without_columns(event: Json) -> Json:
    """Ours come with the end; until then the listener's would stand where the last run's were."""
    return event | {
        "outputs": [
            output | {"facets": {name: facet for name, facet in output.get("facets", {}).items() if name != COLUMNS}}
            for output in event["outputs"]
        ]
    }


def _job_type(event: Json) -> dict[str, Any]:
    found: dict[str, Any] = event["job"].get("facets", {}).get("jobType", {})
    return found


def _is_end_of_statement(event: Json) -> bool:
    return is_end(event) and _job_type(event).get("jobType") == "SQL_JOB"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
