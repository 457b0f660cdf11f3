"""What an event reports about its job, its run, and the runs above it."""

from headwater.ids import RunId
from headwater.interpret.known_facets import KnownFacets, values
from headwater.model.changes import AnyChange, JobSeen, Name, RunNamed, RunSeen
from headwater.openlineage import facets as f
from headwater.openlineage import timestamps
from headwater.openlineage.event import Event


def interpret(event: Event, known: KnownFacets) -> list[AnyChange]:
    if event.job is None:
        return []
    parent = known.read(f.ParentRun, event.run_facets, "parent")
    parent_job = _job_name(parent.job) if parent else None
    if parent_job == event.job:
        parent_job = None
    changes: list[AnyChange] = [JobSeen(event.job, event.stamp, values(event.job_facets), parent_job)]
    if event.run is None:
        return changes
    above = _run_id(parent.run) if parent else None
    root = _run_id(parent.root.run) if parent and parent.root else None
    nominal = known.read(f.NominalTime, event.run_facets, "nominalTime")
    changes.append(
        RunSeen(
            event.run,
            event.job,
            event.type,
            event.stamp,
            values(event.run_facets),
            above if above != event.run else None,
            root,
            (
                timestamps.parse_or_none(nominal.nominalStartTime),
                timestamps.parse_or_none(nominal.nominalEndTime),
            )
            if nominal
            else None,
        )
    )
    if above and parent_job:
        changes.append(RunNamed(above, parent_job))
    root_job = _job_name(parent.root.job) if parent and parent.root else None
    if root and root_job:
        changes.append(JobSeen(root_job, event.stamp, {}, None))
        changes.append(RunNamed(root, root_job))
    return changes


def _job_name(job: f.Identifier | None) -> Name | None:
    return (job.namespace, job.name) if job is not None and job.name else None


def _run_id(run: f.RunRef | None) -> RunId | None:
    return RunId(run.runId) if run is not None and run.runId else None
