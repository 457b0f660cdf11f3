"""What each change does to the state."""

from collections.abc import Iterable
from typing import assert_never

from headwater.ids import DELETED, ContentId, Micros, Node, Position, RunId, Stamp
from headwater.model import changes as c
from headwater.model.effects import Altered, ColumnsChanged, FacetSet
from headwater.model.entities import (
    INPUT,
    MAX_COLUMN_SETS,
    OUTPUT,
    ColumnSet,
    Dataset,
    Declared,
    Job,
    Lifecycle,
    Run,
    Use,
    later,
    put,
    use_key,
)
from headwater.model.state import Source, State
from headwater.model.versions import Version, version_uuid
from headwater.openlineage.event import TERMINAL, Event, EventType, stamp_time


def apply_event(state: State, position: Position, event: Event, changes: Iterable[c.AnyChange]) -> None:
    """Applies what one event reports, and notes its position."""
    for change in changes:
        apply(state, change)
    state.position = position
    run = state.runs.get(event.run) if event.run is not None else None
    job = state.find_job(*event.job) if event.job is not None else None
    state.dirty.events.append((position, event.time, event.type, run.row if run else None, job.node if job else None))
    state.count_event(event.time, event.type)


def apply(state: State, change: c.AnyChange) -> None:
    match change:
        case c.DatasetMentioned():
            _dataset_mentioned(state, change)
        case c.RunSeen():
            _run_seen(state, change)
        case c.JobSeen():
            _job_seen(state, change)
        case c.SourceSeen():
            _source_seen(state, change)
        case c.ColumnsReported():
            _columns_reported(state, change)
        case c.EdgeSeen():
            state.see_edge(state.ensure(change.src, change.at), state.ensure(change.dst, change.at), change.at)
        case c.RunNamed():
            _run_named(state, change)
        case c.LineageDeclared():
            _lineage_declared(state, change)
        case c.AliasesReported():
            _aliases_reported(state, change)
        case c.LifecycleReported():
            _lifecycle_reported(state, change)
        case _:
            assert_never(change)


def _job_seen(state: State, change: c.JobSeen) -> None:
    at = stamp_time(change.stamp)
    job = state.ensure_job(change.job, at)
    _put_facets(state, job, change.stamp, change.facets)
    if change.parent is not None:
        before = job.parent
        job.parent = state.later_node(before, change.stamp, state.ensure_job(change.parent, at).node)
        if before is None or before[1] != job.parent[1]:
            state.note_effect(Altered(job.node))
    state.mark(job.node)


def _run_seen(state: State, change: c.RunSeen) -> None:
    job = state.jobs[change.job[0]][change.job[1]]
    stamp, at = change.stamp, stamp_time(change.stamp)
    was_named = change.run in state.runs
    run = state.ensure_run(change.run, job)
    if was_named and run.first is None:
        _count_named(state, run.job, -1)
    before = run.job, run.order
    counted = None if run.first is None else run.job
    # A run belongs to the job of its first event; a parent facet only guesses.
    if run.first is None or (stamp, change.job) < (run.first, _job_name(state, run)):
        run.first, run.job = stamp, job
    if run.job != counted:
        _count_run(state, run.job, counted)
    run.last = max(run.last, stamp)
    if change.kind is EventType.START:
        run.started = at if run.started is None else min(run.started, at)
    if change.kind in (EventType.START, EventType.RUNNING):
        run.active = True
    elif change.kind in TERMINAL:
        run.ended = stamp if run.ended is None else max(run.ended, stamp)
    for name, content in change.facets.items():
        put(run.facets, name, stamp, content)
    if change.parent is not None:
        run.parent = later(run.parent, (stamp, change.parent))
    if change.root is not None:
        run.root = later(run.root, (stamp, change.root))
    if change.nominal is not None:
        run.nominal = later(run.nominal, (stamp, *change.nominal))
    state.dirty.runs[run.id] = run
    _note_latest(state, run, *before)


def _run_named(state: State, change: c.RunNamed) -> None:
    job = state.jobs[change.job[0]][change.job[1]]
    if change.run not in state.runs:
        state.ensure_run(change.run, job)
        _count_named(state, job, 1)
        return
    run = state.runs[change.run]
    if run.first is None and change.job < _job_name(state, run):
        _count_named(state, run.job, -1)
        _count_named(state, job, 1)
        run.job = job
        state.dirty.runs[run.id] = run


def _job_name(state: State, run: Run) -> c.Name:
    job = state.job_of(run.job)
    return job.namespace, job.name


def _count_run(state: State, job: Node, before: Node | None) -> None:
    """A run counts for its job from its first own event on, and moves with it to another job."""
    state.job_of(job).runs += 1
    if before is not None:
        state.job_of(before).runs -= 1
        state.mark(before)


def _count_named(state: State, job: Node, count: int) -> None:
    state.job_of(job).named += count
    state.mark(job)


def _note_latest(state: State, run: Run, old_job: Node, old_order: tuple[Micros, RunId]) -> None:
    job = state.job_of(run.job)
    state.mark(run.job)
    if job.latest is None or run.order > job.latest.order:
        job.latest = run
    elif job.latest.id == run.id:
        job.latest = run
        if run.order < old_order:
            state.dirty.latest_unsure.add(run.job)
    if old_job != run.job:
        left = state.job_of(old_job)
        if left.latest is not None and left.latest.id == run.id:
            left.latest = None
            state.mark(old_job)
            state.dirty.latest_unsure.add(old_job)


def _dataset_mentioned(state: State, change: c.DatasetMentioned) -> None:
    at = stamp_time(change.stamp)
    dataset = state.named_dataset(change.dataset)
    node = dataset.node
    state.see_dataset(dataset, at)
    _put_facets(state, dataset, change.stamp, change.facets)
    state.mark(node)
    if change.job is None:
        if dataset.declared is None or dataset.declared < at:
            dataset.declared = at
        if change.schema or change.version:
            _note_version(state, dataset, change.version, change.schema, at, at, None)
        return
    job = state.jobs[change.job[0]][change.job[1]]
    if change.output:
        state.see_edge(job, node, at)
    else:
        state.see_edge(node, job, at)
    if change.run is not None:
        _note_use(state, change, state.runs[change.run], dataset, at)


def _put_facets(state: State, entity: Job | Dataset, stamp: Stamp, facets: dict[str, ContentId]) -> None:
    registers = entity.facets
    before = len(registers)
    for name, content in facets.items():
        lost = put(registers, name, stamp, content)
        if lost is not None:
            state.dirty.past_facets.append((entity.node, name, lost))
            state.structure += 1
            if registers[name][2] == content:
                state.note_effect(FacetSet(entity.node, name))
    if len(registers) > before:
        state.structure += 1
        if state.effects is not None:
            fresh = [name for name in list(registers)[before:] if registers[name][2] != DELETED]
            state.effects += [FacetSet(entity.node, name) for name in fresh]


def _source_seen(state: State, change: c.SourceSeen) -> None:
    at = stamp_time(change.stamp)
    source = state.sources.get(change.name)
    if source is None:
        state.sources[change.name] = Source(change.name, change.uri, change.stamp, at, at)
        state.touched_sources.add(change.name)
    else:
        if (change.stamp, change.uri) > (source.stamp, source.uri):
            source.stamp, source.uri = change.stamp, change.uri
        if at < source.first:
            state.touched_sources.add(change.name)
        source.first, source.last = min(source.first, at), max(source.last, at)
    state.dirty.sources.add(change.name)


def _note_use(state: State, change: c.DatasetMentioned, run: Run, dataset: Dataset, at: Micros) -> None:
    version, schema = reported = change.version, change.schema
    key = use_key(dataset.node, OUTPUT if change.output else INPUT)
    use = run.uses.get(key)
    if use is None:
        use = run.uses[key] = Use(at, at)
    elif not use.first <= at <= use.last:
        use.first, use.last = min(use.first, at), max(use.last, at)
    for name, content in change.run_facets.items():
        put(use.facets, name, change.stamp, content)
    seen = use.versions.get(reported)
    if seen is None:
        use.versions[reported] = (at, at)
    elif not seen[0] <= at <= seen[1]:
        use.versions[reported] = (min(seen[0], at), max(seen[1], at))
    if change.output:
        _note_outputs(state, run, dataset, use)
    elif version:
        _note_version(state, dataset, version, schema, at, at, None)
    state.dirty.uses.add((run.id, key))
    state.dirty.runs[run.id] = run


def _note_outputs(state: State, run: Run, dataset: Dataset, use: Use) -> None:
    effective = {
        _note_version(state, dataset, version, schema, first, last, run)
        for version, schema, first, last in use.effective_versions()
    }
    if len(use.versions) > len(effective):
        for version, schema in use.versions:
            uuid = version_uuid(dataset, version, ContentId(schema), run.id)
            if uuid not in effective:
                state.dirty.versions.pop(uuid, None)
                state.dirty.versions_gone.add(uuid)


def _note_version(
    state: State,
    dataset: Dataset,
    version: str,
    schema: ContentId,
    first: Micros,
    last: Micros,
    run: Run | None,
) -> bytes:
    uuid = version_uuid(dataset, version, schema, run.id if run else None)
    reported = Version(uuid, dataset.node, version, schema, first, last)
    if run is not None:
        reported.run, reported.written = run.row, first
    known = state.dirty.versions.setdefault(uuid, reported)
    if known is not reported:
        known.merge(reported)
    return uuid


def _columns_reported(state: State, change: c.ColumnsReported) -> None:
    at = stamp_time(change.stamp)
    dataset = state.ensure_dataset(change.dataset, at).node
    producer = dataset if change.job is None else state.ensure_job(change.job, at).node
    edge = state.see_edge(producer, dataset, at)
    if edge.columns is None:
        edge.columns = []
    was_newest = False
    for known in edge.columns:
        if known.content == change.content and known.kind == change.kind:
            was_newest = len(edge.columns) == 1 or _newest(edge.columns, change.kind) is known
            known.first = min(known.first, change.stamp)
            known.last = max(known.last, change.stamp)
            break
    else:
        sources = tuple(state.ensure(ref, at) for ref in change.sources)
        known = ColumnSet(change.kind, change.content, change.stamp, change.stamp, sources)
        edge.columns.append(known)
        if len(edge.columns) > MAX_COLUMN_SETS:
            edge.columns.remove(min(edge.columns, key=lambda s: (s.last, s.content)))
    if len(edge.columns) > 1 or known.first == known.last:
        state.structure += 1  # another one may count now, or this one is new
    if not was_newest and _newest(edge.columns, change.kind) is known:
        state.note_effect(ColumnsChanged(dataset))
    state.outdate(dataset)
    state.outdate(producer)  # which of its inputs reach which output may have changed
    state.dirty.column_sets[edge.key, known.kind, known.content] = known


def _newest(sets: list[ColumnSet], kind: str) -> ColumnSet | None:
    return max((s for s in sets if s.kind == kind), key=lambda s: (s.last, s.content), default=None)


def _lineage_declared(state: State, change: c.LineageDeclared) -> None:
    at = stamp_time(change.stamp)
    job = state.ensure_job(change.job, at)
    before = job.declared
    if before is None or (change.stamp, change.content) > (before.stamp, before.content):
        state.structure += 1
        for target in before.targets if before else ():
            state.outdate(target)
        job.declared = Declared(
            change.stamp,
            change.content,
            {
                state.ensure(target, at): tuple(state.ensure(source, at) for source in sources)
                for target, sources in change.targets
            },
        )
        for target in job.declared.targets:
            state.outdate(target)
        if before is None or before.content != change.content:
            for target in {**(before.targets if before else {}), **job.declared.targets}:
                state.note_effect(ColumnsChanged(target))
        state.mark(job.node)


def _aliases_reported(state: State, change: c.AliasesReported) -> None:
    dataset = state.datasets[change.dataset[0]][change.dataset[1]]
    # Also those that do not count, as a later facet may have arrived first: the order must not matter.
    targets = {state.ensure_dataset(alias, None).node for alias in change.aliases} - {dataset}
    register = state.dataset_of(dataset).facets.get("symlinks")
    if register is not None and register[2] == change.content:
        state.aliases.set_symlinks(state.dataset_of(dataset), tuple(sorted(targets)))
        state.mark(dataset)


def _lifecycle_reported(state: State, change: c.LifecycleReported) -> None:
    at = stamp_time(change.stamp)
    dataset = state.ensure_dataset(change.dataset, at)
    job = None if change.job is None else state.ensure_job(change.job, at).node
    before = dataset.lifecycle
    if before is None or (change.stamp, change.state, change.job or _NO_JOB) > _order(state, before):
        dataset.lifecycle = Lifecycle(change.stamp, change.state, job)
        state.structure += 1
        state.aliases.lifecycle_changed(dataset)
    if change.previous is not None:
        previous = state.ensure_dataset(change.previous, None).node
        dataset.renamed = state.later_node(dataset.renamed, change.stamp, previous)
        state.aliases.set_renamed(dataset, previous)
    state.mark(dataset.node)


_NO_JOB: c.Name = ("", "")


def _order(state: State, lifecycle: Lifecycle) -> tuple[Stamp, str, c.Name]:
    """The largest counts. Node numbers follow arrival, so the name of the job breaks a tie."""
    job = None if lifecycle.job is None else state.job_of(lifecycle.job)
    return lifecycle.stamp, lifecycle.state, _NO_JOB if job is None else (job.namespace, job.name)
