"""What an event says of its job, its run, and the runs above it."""

from headwater.interpret.reading import contents, read
from headwater.model.changes import AnyChange, JobSeen, RunNamed, RunSeen
from headwater.openlineage import facets as f
from headwater.openlineage import timestamps
from headwater.openlineage.event import Event


def interpret(event: Event) -> list[AnyChange]:
    if event.job is None:
        return []
    parent = read(f.ParentRun, event.run_facets, "parent")
    parent_job = (parent.job.namespace, parent.job.name) if parent and parent.job else None
    if parent_job == event.job:
        parent_job = None
    said: list[AnyChange] = [JobSeen(event.job, event.stamp, contents(event.job_facets), parent_job)]
    if event.run is None:
        return said
    above = parent.run.runId if parent and parent.run else None
    root = parent.root.run.runId if parent and parent.root else None
    nominal = read(f.NominalTime, event.run_facets, "nominalTime")
    said.append(
        RunSeen(
            event.run,
            event.job,
            event.type,
            event.stamp,
            contents(event.run_facets),
            above if above != event.run else None,  # type: ignore[arg-type]
            root,  # type: ignore[arg-type]
            (
                timestamps.parse_or_none(nominal.nominalStartTime),
                timestamps.parse_or_none(nominal.nominalEndTime),
            )
            if nominal
            else None,
        )
    )
    if parent is None:
        return said
    if above and parent_job:
        said.append(RunNamed(above, parent_job))  # type: ignore[arg-type]
    if parent.root and parent.root.job.name:
        root_job = (parent.root.job.namespace, parent.root.job.name)
        said.append(JobSeen(root_job, event.stamp, {}, None))
        said.append(RunNamed(parent.root.run.runId, root_job))  # type: ignore[arg-type]
    return said
