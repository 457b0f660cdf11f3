"""From what is known of the jobs and datasets upstream to suspects, in order, with evidence."""

from collections.abc import Mapping, Sequence

import msgspec

from headwater.ids import DELETED, ContentId, Micros, Node
from headwater.model.entities import Run
from headwater.openlineage import facets as f
from headwater.openlineage.timestamps import to_datetime
from headwater.shapes.why import Evidence, Suspect, SuspectKind
from headwater.store.protocol import Sign
from headwater.why import words
from headwater.why.amounts import Jump, jumps
from headwater.why.dataset_history import Past, SchemaStep, life_of, schema_steps
from headwater.why.order import Finding, Ranked, in_order
from headwater.why.pace import SECOND, Trouble, every, seen, trouble
from headwater.why.upstream import DatasetAt, JobAt, Scope

# Of a stack trace the first lines say what and where; the whole one is in the run's facets.
_ERROR_LINES, _ERROR_LENGTH = 8, 2000


class Facts(msgspec.Struct):
    """What the tables and the log say about a scope."""

    runs: Mapping[Node, Sequence[Run]]  # the latest first
    signs: Mapping[int, Sequence[Sign]]  # by the row of the run, the latest first
    past: Past
    canonical: Mapping[Node, Node]  # of the datasets that runs name, where it is another
    bodies: Mapping[ContentId, bytes] = msgspec.field(default_factory=dict)


def suspects(scope: Scope, facts: Facts, since: Micros, about: Run | None = None) -> list[Suspect]:
    """`about`: the run that was asked for. It comes first if anything is wrong with it."""
    found = _Findings(scope, facts, since)
    for job in scope.jobs.values():
        found.look_at_runs(job)
    for dataset in scope.datasets.values():
        found.look_at_dataset(dataset)
    found.look_at_amounts()
    answer = [found.suspect(ranked) for ranked in in_order(list(found.told), scope)]
    if about is not None:
        own = [s for s in answer if s.evidence.runId == about.id and s.kind != SuspectKind.STATISTIC_JUMPED]
        for suspect in own:
            suspect.suspicion = 1.0
        answer = own + [s for s in answer if s not in own]
    return answer


class _Findings:
    def __init__(self, scope: Scope, facts: Facts, since: Micros) -> None:
        self._scope, self._facts, self._since = scope, facts, since
        self._at = scope.at
        self.told: dict[Finding, tuple[str, Evidence]] = {}

    def suspect(self, ranked: Ranked) -> Suspect:
        finding = ranked.finding
        summary, evidence = self.told[finding]
        return Suspect(
            finding.kind,
            finding.id,
            finding.distance,
            ranked.suspicion,
            to_datetime(finding.at),
            summary,
            evidence,
            sorted({symptom.id for symptom in ranked.explains}),
        )

    # Runs

    def look_at_runs(self, job: JobAt) -> None:
        runs = seen(self._facts.runs.get(job.node, ()))
        found = trouble(job.kind, runs, self._facts.signs, self._at)
        if found is not None and not self._is_old_news(found, runs):
            self._blame(job, found)
        if job.parent is not None and job.parent not in self._scope.jobs:
            self._look_above(self._scope.parents[job.parent], runs)

    def _look_above(self, parent: JobAt, runs: Sequence[Run]) -> None:
        """An application or workflow may come to grief before it starts the job."""
        above = seen(self._facts.runs.get(parent.node, ()))
        found = trouble(parent.kind, above, self._facts.signs, self._at)
        if found is None or found.kind == SuspectKind.RUN_LATE or self._is_old_news(found, above):
            return
        if not runs or runs[0].order[0] < found.run.order[0]:
            self._blame(parent, found)

    def _blame(self, job: JobAt, found: Trouble) -> None:
        manner = "again" if found.again is not None else "" if found.sure else "unsure"
        error = self._error(found.run) if found.kind not in (SuspectKind.RUN_LATE, SuspectKind.RUN_STUCK) else None
        summary = words.of_run(job.name, found, self._at, error)
        finding = Finding(found.kind, job.node, job.id, job.distance, found.at, manner)
        self.told[finding] = (summary, self._of_run(found, error))

    def _is_old_news(self, found: Trouble, runs: Sequence[Run]) -> bool:
        """A job that fell silent long ago was given up. What runs once a month has more time,
        and what seems to run on is not over."""
        if found.kind == SuspectKind.RUN_STUCK:
            return False
        patience = 2 * (every(runs) or 0)
        return found.at <= min(self._since, self._at - patience)

    def _of_run(self, found: Trouble, error: str | None) -> Evidence:
        run, signs = found.run, self._facts.signs.get(found.run.row, ())
        started = run.started_at
        told = Evidence(
            runId=run.id,
            state=found.state,
            startedAt=None if started is None else to_datetime(started),
            error=error,
            everySeconds=None if found.every is None else found.every / SECOND,
            usualSeconds=None if found.takes is None else found.takes / SECOND,
            # The last event of the run by then is the one that says it.
            positions=[sign.position for sign in signs[:1]],
        )
        if found.kind == SuspectKind.RUN_LATE:
            told.expectedAt = to_datetime(found.at)
        elif found.kind == SuspectKind.RUN_STUCK:
            told.lastSign = to_datetime(found.at)
        if run.ended_at is not None and run.ended_at <= self._at:
            told.endedAt = to_datetime(run.ended_at)
        return told

    def _error(self, run: Run) -> str | None:
        held = run.facets.get("errorMessage")
        told = f.read(f.ErrorMessage, self._facts.bodies.get(held[2])) if held and held[2] != DELETED else None
        if told is None:
            return None
        message, trace = (told.message or "").strip(), (told.stackTrace or "").strip()
        lines = [*message.splitlines(), *(line for line in trace.splitlines() if line.strip() != message)]
        return "\n".join(lines[:_ERROR_LINES])[:_ERROR_LENGTH] or None

    # Datasets

    def look_at_dataset(self, dataset: DatasetAt) -> None:
        past, bodies = self._facts.past, self._facts.bodies
        for step in schema_steps(dataset, past, bodies, self._since, self._at):
            finding = self._finding(SuspectKind.SCHEMA_CHANGED, dataset, step.at, _manner(step, dataset))
            evidence = Evidence(added=step.added, removed=step.removed, retyped=step.retyped)
            self.told.setdefault(finding, (words.of_schema(dataset.name, step), evidence))
        readers = [job.node for job in self._scope.jobs.values() if dataset.node in job.inputs]
        life = life_of(dataset, readers, past, bodies, self._since, self._at)
        if life is None:
            return
        if life.previous is None:
            finding = self._finding(SuspectKind.DATASET_DROPPED, dataset, life.at)
            self.told[finding] = (words.of_drop(dataset.name, life.at), Evidence())
        else:
            finding = self._finding(SuspectKind.DATASET_RENAMED, dataset, life.at, "noticed" if life.noticed else "")
            summary = words.of_rename(dataset.name, life.previous, life.at)
            self.told[finding] = (summary, Evidence(previousName=life.previous))

    @staticmethod
    def _finding(kind: SuspectKind, dataset: DatasetAt, at: Micros, manner: str = "") -> Finding:
        return Finding(kind, dataset.node, dataset.id, dataset.distance, at, manner)

    # Amounts

    def look_at_amounts(self) -> None:
        """Of a dataset once: what its writer says, else its readers."""
        found: dict[Node, tuple[bool, int, str, Jump, JobAt]] = {}
        for job in self._scope.jobs.values():
            for jump in jumps(seen(self._facts.runs.get(job.node, ())), self._facts.bodies, self._at):
                node = self._facts.canonical.get(jump.dataset, jump.dataset)
                if node in (job.outputs if jump.output else job.inputs) and _time(jump.run) > self._since:
                    candidate = (not jump.output, -_time(jump.run), job.id, jump, job)
                    if node not in found or candidate[:3] < found[node][:3]:
                        found[node] = candidate
        for node, (_, _, _, jump, job) in found.items():
            dataset = self._scope.datasets.get(node)
            if dataset is not None:
                self._jumped(dataset, jump, job)

    def _jumped(self, dataset: DatasetAt, jump: Jump, job: JobAt) -> None:
        at = _time(jump.run)
        finding = self._finding(SuspectKind.STATISTIC_JUMPED, dataset, at, "" if jump.after else "nothing")
        evidence = Evidence(
            runId=jump.run.id,
            jobId=job.id,
            state=jump.run.state,
            endedAt=to_datetime(at),
            statistic=jump.statistic,
            before=jump.before,
            after=jump.after,
        )
        self.told[finding] = (words.of_jump(job.name, dataset.name, jump, at), evidence)


def _time(run: Run) -> Micros:
    assert run.ended_at is not None  # amounts are those of completed runs
    return run.ended_at


def _manner(step: SchemaStep, dataset: DatasetAt) -> str:
    if not step.broken:
        return "adding"
    return "feeding" if dataset.columns is None or step.broken & dataset.columns else "breaking"
