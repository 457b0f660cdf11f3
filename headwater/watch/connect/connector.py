"""One connector while it is watched, and the events that report it."""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from headwater.connect.rest import Entry, Status
from headwater.emit.events import WATCH, Json
from headwater.watch.connect import condition as conditions
from headwater.watch.connect import events
from headwater.watch.connect.chain import SMT
from headwater.watch.connect.condition import Condition
from headwater.watch.connect.events import Job
from headwater.watch.connect.lineage import Lineage
from headwater.watch.connect.runs import RunState, Step
from headwater.watch.kafka.client import Flow
from headwater.watch.polling import Backoff

# Seconds between two questions for the topics that a connector uses. New ones show up soon after it starts.
_FIRST_TOPICS, _LAST_TOPICS = 4.0, 60.0
_UNKNOWN = Condition("waiting", "UNASSIGNED")


@dataclass
class WatchedConnector:
    run_state: RunState
    raw_config: bytes = b""
    config: dict[str, str] = field(default_factory=dict)
    config_fingerprint: str = ""
    status: Status | None = None
    condition: Condition = _UNKNOWN
    used_topics: frozenset[str] = frozenset()
    """As Connect reports them."""
    topics_backoff: Backoff = field(default_factory=lambda: Backoff(_FIRST_TOPICS, _LAST_TOPICS))
    lineage: Lineage | None = None
    lineage_basis: object = None
    """What `lineage` was made from."""
    lineage_fingerprint: str = ""
    reported_lineage: str = ""
    """Fingerprint of the lineage in the last event that had it."""
    reported_state: str = ""
    """Fingerprint of the state in the last event."""
    reported_at: float = 0.0
    awaits_smt_since: float = 0.0
    """Since when a run of the SMT is awaited; 0 if none is."""
    ended_by_smt: str = ""
    """The run that the SMT ended while the connector still seemed to run."""
    unreported_records: dict[str, int] = field(default_factory=dict)
    """Records since the last event, by topic."""

    @property
    def has_smt(self) -> bool:
        return any(
            value.rpartition(".")[2] == SMT
            for option, value in self.config.items()
            if option.startswith("transforms.") and option.endswith(".type")
        )

    @property
    def needs_topics(self) -> bool:
        """The topics of a sink are in its configuration, unless it has an expression for them."""
        return self.status is not None and (self.status.type != "sink" or not self.config.get("topics"))

    def update(self, entry: Entry) -> None:
        self.status = entry.status
        raw = bytes(entry.info.config)
        if raw != self.raw_config:
            self.raw_config = raw
            options = msgspec.json.decode(raw, type=dict[str, Any])
            config = {key: str(value) for key, value in sorted(options.items()) if value is not None}
            self.config_fingerprint = hashlib.blake2b(msgspec.json.encode(config), digest_size=16).hexdigest()
            if config != self.config:  # workers need not give the options in the same order
                self.config, self.lineage_basis = config, None
                self.topics_backoff.reset()

    def set_lineage(self, lineage: Lineage) -> None:
        self.lineage = lineage
        parts = [events.inputs(lineage, {}, full=True), events.outputs(lineage, full=True), lineage.notes]
        self.lineage_fingerprint = events.fingerprint(parts)

    def reported(self, state: Json, now: float) -> None:
        self.reported_lineage, self.reported_state = self.lineage_fingerprint, events.fingerprint(state)
        self.reported_at, self.awaits_smt_since = now, 0.0
        self.unreported_records.clear()

    def has_changed(self, state: Json) -> bool:
        """Since the last event."""
        return self.lineage_fingerprint != self.reported_lineage or events.fingerprint(state) != self.reported_state

    def state(self, lost: Collection[str], cluster: str) -> Json:
        """What is reported as soon as it changes; figures wait for the next event."""
        status = self.status
        return {
            "state": self.condition.state,
            "class": self.config.get("connector.class", ""),
            "type": status.type if status is not None else "unknown",
            "worker": status.connector.worker_id if status is not None else "",
            "tasks": conditions.tasks(status, lost) if status is not None else [],
            "cluster": cluster,
        }

    def event(self, job: Job, step: Step, kind: str, run: str | None, state: Json, flows: Mapping[str, Flow]) -> Json:
        lineage = self.lineage or Lineage()
        full = step.kind in ("START", "IDLE") or self.lineage_fingerprint != self.reported_lineage
        statistics = {
            topic: {"inputStatistics": WATCH.facet("InputStatisticsInputDatasetFacet", "1-0-0", rowCount=rows)}
            for topic, rows in self.unreported_records.items()
            if lineage.group is not None
        }
        inputs, outputs = events.inputs(lineage, statistics, full=full), events.outputs(lineage, full=full)
        facets = {"headwater_connect": self._facet(state, flows)}
        if run is None or step.kind == "IDLE":
            return events.of_job(job, inputs, outputs, facets)
        if full:
            facets |= events.extraction_errors(lineage)
        if step.kind == "FAIL":
            facets |= events.failure(step.why, step.trace)
        if step.kind == "ABORT":
            facets |= events.end(step.why)
        return events.of_run(kind, job, run, inputs, outputs, facets)

    def _facet(self, state: Json, flows: Mapping[str, Flow]) -> Json:
        content = dict(state)
        if flows:
            content["topics"] = {topic: _figures(flow) for topic, flow in flows.items()}
        if self.status is not None and self.status.connector.trace:
            content["trace"] = self.status.connector.trace
        if self.condition.why:
            content["problem"] = self.condition.why
        return WATCH.own_facet(**content)


def _figures(flow: Flow) -> Json:
    figures = {"messagesPerSecond": flow.per_second, "lag": flow.lag, "endOffset": flow.end}
    return {key: value for key, value in figures.items() if value is not None}
