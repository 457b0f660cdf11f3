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
    contents: Mapping[ContentId, bytes] = msgspec.field(default_factory=dict)


def suspects(scope: Scope, facts: Facts, since: Micros, about: Run | None = None) -> list[Suspect]:
    """`about`: the run that the query names. It comes first if anything is wrong with it."""
    findings = _Findings(scope, facts, since)
    for job in scope.jobs.values():
        findings.look_at_runs(job)
    for dataset in scope.datasets.values():
        findings.look_at_dataset(dataset)
    findings.look_at_amounts()
    answer = [findings.suspect(ranked) for ranked in in_order(list(findings.evidence_of), scope)]
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
        self.evidence_of: dict[Finding, tuple[str, Evidence]] = {}

    def suspect(self, ranked: Ranked) -> Suspect:
        finding = ranked.finding
        summary, evidence = self.evidence_of[finding]
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
        problem = trouble(job.kind, runs, self._facts.signs, self._at)
        if problem is not None and not self._is_outdated(problem, runs):
            self._blame(job, problem)
        if job.parent is not None and job.parent not in self._scope.jobs:
            self._look_above(self._scope.parents[job.parent], runs)

    def _look_above(self, parent: JobAt, runs: Sequence[Run]) -> None:
        """An application or workflow may fail before it starts the job."""
        above = seen(self._facts.runs.get(parent.node, ()))
        problem = trouble(parent.kind, above, self._facts.signs, self._at)
        if problem is None or problem.kind == SuspectKind.RUN_LATE or self._is_outdated(problem, above):
            return
        if not runs or runs[0].order[0] < problem.run.order[0]:
            self._blame(parent, problem)

    def _blame(self, job: JobAt, problem: Trouble) -> None:
        manner = "again" if problem.again is not None else "" if problem.sure else "unsure"
        error = self._error(problem.run) if problem.kind not in (SuspectKind.RUN_LATE, SuspectKind.RUN_STUCK) else None
        summary = words.of_run(job.name, problem, self._at, error)
        finding = Finding(problem.kind, job.node, job.id, job.distance, problem.at, manner)
        self.evidence_of[finding] = (summary, self._of_run(problem, error))

    def _is_outdated(self, problem: Trouble, runs: Sequence[Run]) -> bool:
        """A job that fell silent long ago was given up. What runs once a month has more time,
        and what seems to run on is not over."""
        if problem.kind == SuspectKind.RUN_STUCK:
            return False
        patience = 2 * (every(runs) or 0)
        return problem.at <= min(self._since, self._at - patience)

    def _of_run(self, problem: Trouble, error: str | None) -> Evidence:
        run, signs = problem.run, self._facts.signs.get(problem.run.row, ())
        started = run.started_at
        evidence = Evidence(
            runId=run.id,
            state=problem.state,
            startedAt=None if started is None else to_datetime(started),
            error=error,
            everySeconds=None if problem.every is None else problem.every / SECOND,
            usualSeconds=None if problem.takes is None else problem.takes / SECOND,
            # The last event of the run by then is the one that says it.
            positions=[sign.position for sign in signs[:1]],
        )
        if problem.kind == SuspectKind.RUN_LATE:
            evidence.expectedAt = to_datetime(problem.at)
        elif problem.kind == SuspectKind.RUN_STUCK:
            evidence.lastSign = to_datetime(problem.at)
        if run.ended_at is not None and run.ended_at <= self._at:
            evidence.endedAt = to_datetime(run.ended_at)
        return evidence

    def _error(self, run: Run) -> str | None:
        register = run.facets.get("errorMessage")
        facet = (
            f.read(f.ErrorMessage, self._facts.contents.get(register[2]))
            if register and register[2] != DELETED
            else None
        )
        if facet is None:
            return None
        message, trace = (facet.message or "").strip(), (facet.stackTrace or "").strip()
        lines = [*message.splitlines(), *(line for line in trace.splitlines() if line.strip() != message)]
        return "\n".join(lines[:_ERROR_LINES])[:_ERROR_LENGTH] or None

    # Datasets

    def look_at_dataset(self, dataset: DatasetAt) -> None:
        past, contents = self._facts.past, self._facts.contents
        for step in schema_steps(dataset, past, contents, self._since, self._at):
            finding = self._finding(SuspectKind.SCHEMA_CHANGED, dataset, step.at, _manner(step, dataset))
            evidence = Evidence(added=step.added, removed=step.removed, retyped=step.retyped)
            self.evidence_of.setdefault(finding, (words.of_schema(dataset.name, step), evidence))
        readers = [job.node for job in self._scope.jobs.values() if dataset.node in job.inputs]
        life = life_of(dataset, readers, past, contents, self._since, self._at)
        if life is None:
            return
        if life.previous is None:
            finding = self._finding(SuspectKind.DATASET_DROPPED, dataset, life.at)
            self.evidence_of[finding] = (words.of_drop(dataset.name, life.at), Evidence())
        else:
            finding = self._finding(SuspectKind.DATASET_RENAMED, dataset, life.at, "noticed" if life.noticed else "")
            summary = words.of_rename(dataset.name, life.previous, life.at)
            self.evidence_of[finding] = (summary, Evidence(previousName=life.previous))

    @staticmethod
    def _finding(kind: SuspectKind, dataset: DatasetAt, at: Micros, manner: str = "") -> Finding:
        return Finding(kind, dataset.node, dataset.id, dataset.distance, at, manner)

    # Amounts

    def look_at_amounts(self) -> None:
        """Of a dataset once: what its writer says, else its readers."""
        by_dataset: dict[Node, tuple[bool, int, str, Jump, JobAt]] = {}
        for job in self._scope.jobs.values():
            for jump in jumps(seen(self._facts.runs.get(job.node, ())), self._facts.contents, self._at):
                node = self._facts.canonical.get(jump.dataset, jump.dataset)
                if node in (job.outputs if jump.output else job.inputs) and _time(jump.run) > self._since:
                    candidate = (not jump.output, -_time(jump.run), job.id, jump, job)
                    if node not in by_dataset or candidate[:3] < by_dataset[node][:3]:
                        by_dataset[node] = candidate
        for node, (_, _, _, jump, job) in by_dataset.items():
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
        self.evidence_of[finding] = (words.of_jump(job.name, dataset.name, jump, at), evidence)


def _time(run: Run) -> Micros:
    assert run.ended_at is not None  # amounts are those of completed runs
    return run.ended_at


def _manner(step: SchemaStep, dataset: DatasetAt) -> str:
    if not step.broken:
        return "adding"
    return "feeding" if dataset.columns is None or step.broken & dataset.columns else "breaking"
