"""The order of suspicion: kind × closeness × recency, then causes before what they explain."""

import msgspec

from headwater.ids import Micros, Node
from headwater.shapes.why import SuspectKind
from headwater.why.pace import DAY
from headwater.why.upstream import Scope

# How often a thing like this turns out to be the cause, from 0 to 1.
WEIGHTS = {
    (SuspectKind.RUN_FAILED, ""): 0.9,
    (SuspectKind.RUN_FAILED, "again"): 0.7,  # a new attempt is under way
    (SuspectKind.RUN_ABORTED, ""): 0.7,
    (SuspectKind.RUN_ABORTED, "again"): 0.5,
    (SuspectKind.RUN_STUCK, ""): 0.8,
    (SuspectKind.RUN_STUCK, "unsure"): 0.5,  # there is no habit to compare with
    (SuspectKind.RUN_LATE, ""): 0.6,
    (SuspectKind.DATASET_DROPPED, ""): 0.9,
    (SuspectKind.DATASET_RENAMED, ""): 0.6,
    (SuspectKind.DATASET_RENAMED, "noticed"): 0.2,  # those who read it have done so by its new name
    (SuspectKind.SCHEMA_CHANGED, "feeding"): 0.85,  # a column that feeds what the query names is gone or retyped
    (SuspectKind.SCHEMA_CHANGED, "breaking"): 0.4,  # another column is
    (SuspectKind.SCHEMA_CHANGED, "adding"): 0.1,
    (SuspectKind.STATISTIC_JUMPED, ""): 0.65,
    (SuspectKind.STATISTIC_JUMPED, "nothing"): 0.8,  # there is nothing at all where there usually is something
}

# Each job in between makes a cause less likely, and three days make it half as likely.
CLOSENESS, HALF_LIFE = 0.85, 3 * DAY

# What a cause explains is no independent suspect any more.
EXPLAINED = 0.6

_ENDS = {SuspectKind.RUN_FAILED, SuspectKind.RUN_ABORTED}
_REPORTED = {SuspectKind.DATASET_DROPPED, SuspectKind.DATASET_RENAMED, SuspectKind.SCHEMA_CHANGED}

EXPLAINS: dict[SuspectKind, set[SuspectKind]] = {
    SuspectKind.RUN_FAILED: _ENDS | _REPORTED,
    SuspectKind.RUN_ABORTED: _ENDS | _REPORTED,
    SuspectKind.RUN_STUCK: {*_ENDS, SuspectKind.RUN_STUCK},
    SuspectKind.RUN_LATE: {*_ENDS, SuspectKind.RUN_STUCK, SuspectKind.RUN_LATE, SuspectKind.DATASET_DROPPED},
    SuspectKind.STATISTIC_JUMPED: {
        *_ENDS,
        *_REPORTED,
        SuspectKind.RUN_STUCK,
        SuspectKind.RUN_LATE,
        SuspectKind.STATISTIC_JUMPED,
    },
    SuspectKind.SCHEMA_CHANGED: {SuspectKind.SCHEMA_CHANGED},
}
"""By which kinds of things further upstream each kind is explained, if they came before it."""

# Comparing all with all: beyond so many the weakest are left out.
_MOST_COMPARED = 200


class Finding(msgspec.Struct, frozen=True):
    """A suspicion before it is put into words. `node` is the job or dataset."""

    kind: SuspectKind
    node: Node
    id: str
    distance: int
    at: Micros
    manner: str = ""  # with the kind it gives the weight


class Ranked(msgspec.Struct, frozen=True):
    finding: Finding
    suspicion: float
    explains: list[Finding]


def base(finding: Finding, at: Micros) -> float:
    age = max(at - finding.at, 0)
    weight = WEIGHTS[finding.kind, finding.manner]
    return weight * CLOSENESS**finding.distance / (1 + age / HALF_LIFE)


def in_order(findings: list[Finding], scope: Scope) -> list[Ranked]:
    """The findings with their suspicion and what they explain, the strongest first. A cause is
    at least as suspicious as the most suspicious thing that it explains, and each of them adds
    to it; what is explained loses some."""
    bases = {finding: base(finding, scope.at) for finding in findings}
    compared = sorted(findings, key=lambda f: (-bases[f], f.distance, f.id, f.kind, -f.at))[:_MOST_COMPARED]
    causes = _causes(compared, scope)
    explains: dict[Finding, list[Finding]] = {finding: [] for finding in compared}
    for finding in compared:
        for cause in causes[finding]:
            explains[cause].append(finding)
    ranked: list[Ranked] = []
    for finding in compared:
        score = _combined(bases[finding], [bases[symptom] for symptom in explains[finding]])
        score *= EXPLAINED if causes[finding] else 1
        ranked.append(Ranked(finding, round(score, 3), explains[finding]))
    return sorted(ranked, key=lambda r: (-r.suspicion, -len(r.explains), r.finding.distance, r.finding.id))


def _combined(own: float, explained: list[float]) -> float:
    """As chances of being to blame: the strongest counts in full, the others by half."""
    strongest, *others = sorted((own, *explained), reverse=True)
    innocent = 1 - strongest
    for other in others:
        innocent *= 1 - other / 2
    return 1 - innocent


def _causes(findings: list[Finding], scope: Scope) -> dict[Finding, set[Finding]]:
    """For each finding all that explain it, at first or second hand."""
    above = {node: scope.above(node) for node in {finding.node for finding in findings}}
    direct = {
        finding: {other for other in findings if other is not finding and _explains(other, finding, above, scope)}
        for finding in findings
    }
    whole: dict[Finding, set[Finding]] = {}
    for finding in findings:
        causes: set[Finding] = set()
        frontier = [finding]
        while frontier:
            fresh = direct[frontier.pop()] - causes
            causes |= fresh
            frontier += fresh
        whole[finding] = causes - {finding}
    return whole


def _explains(cause: Finding, symptom: Finding, above: dict[Node, set[Node]], scope: Scope) -> bool:
    if cause.kind not in EXPLAINS.get(symptom.kind, ()) or cause.node not in above[symptom.node]:
        return False
    if cause.manner in ("adding", "noticed"):
        return False
    if symptom.kind in _ENDS and cause.kind in _REPORTED:
        job = scope.jobs.get(symptom.node)
        if job is None or cause.node not in job.inputs:
            return False  # a run stumbles over what it reads, not over what others read
    # What is late is so until now, whenever it was due.
    return symptom.kind == SuspectKind.RUN_LATE or cause.at <= symptom.at
