"""One connector while it is watched, and the events that tell of it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from headwater.connect.rest import Status
from headwater.emit.events import WATCH, Json
from headwater.watch.connect import condition as conditions
from headwater.watch.connect import events
from headwater.watch.connect.chain import SMT
from headwater.watch.connect.condition import Condition
from headwater.watch.connect.events import Job
from headwater.watch.connect.found import Lineage
from headwater.watch.connect.runs import Kept, Step
from headwater.watch.kafka.client import Flow

TOPICS_FIRST = 4.0
_UNKNOWN = Condition("waiting", "UNASSIGNED")


@dataclass
class Watched:
    """What is known of a connector while the watcher runs."""

    kept: Kept
    raw: bytes = b""
    config: dict[str, str] = field(default_factory=dict)
    fingerprint: str = ""
    status: Status | None = None
    found: Lineage | None = None
    basis: object = None
    """What `found` was made from."""
    condition: Condition = _UNKNOWN
    print: str = ""
    """Fingerprint of `found`."""
    told: str = ""
    """Fingerprint of the lineage that was told."""
    shown: str = ""
    """Fingerprint of the facet that was told."""
    told_at: float = 0.0
    seen: frozenset[str] = frozenset()
    ask_topics: float = 0.0
    pause: float = TOPICS_FIRST
    expected: float = 0.0
    """Since when a run of the SMT is waited for."""
    ended_by_smt: str = ""
    """The run that the SMT ended while the connector still seemed to go on."""
    moved: dict[str, int] = field(default_factory=dict)
    """Records that went through since they were told, by topic."""

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

    def follow(self, found: Lineage) -> None:
        self.found = found
        told = [events.inputs(found, {}, full=True), events.outputs(found, full=True), found.notes]
        self.print = events.fingerprint(told)

    def state(self, lost: Collection[str], cluster: str) -> Json:
        """What is told at once when it changes; figures wait for their time."""
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
        found = self.found or Lineage()
        full = step.kind in ("START", "IDLE") or self.print != self.told
        statistics = {
            topic: {"inputStatistics": WATCH.facet("InputStatisticsInputDatasetFacet", "1-0-0", rowCount=rows)}
            for topic, rows in self.moved.items()
            if found.group is not None
        }
        inputs, outputs = events.inputs(found, statistics, full=full), events.outputs(found, full=full)
        ours = {"headwater_connect": self._facet(state, flows)}
        if run is None or step.kind == "IDLE":
            return events.of_job(job, inputs, outputs, ours)
        facets = ours | (events.not_understood(found) if full else {})
        if step.kind == "FAIL":
            facets |= events.failure(step.why, step.trace)
        if step.kind == "ABORT":
            facets |= events.end(step.why)
        return events.of_run(kind, job, run, inputs, outputs, facets)

    def _facet(self, state: Json, flows: Mapping[str, Flow]) -> Json:
        told = dict(state)
        if flows:
            told["topics"] = {topic: _figures(flow) for topic, flow in flows.items()}
        if self.status is not None and self.status.connector.trace:
            told["trace"] = self.status.connector.trace
        if self.condition.why:
            told["problem"] = self.condition.why
        return WATCH.own_facet(**told)


def _figures(flow: Flow) -> Json:
    told = {"messagesPerSecond": flow.per_second, "lag": flow.lag, "endOffset": flow.end}
    return {key: value for key, value in told.items() if value is not None}
