"""Who is to blame for what a dataset, column, job or run is like at a moment."""

import asyncio

from headwater.answers.finding import find_columns, find_node, find_run, node_type
from headwater.answers.render import Renderer
from headwater.errors import BadRequest
from headwater.graph.slices import finish
from headwater.graph.when import At
from headwater.ids import (
    DELETED,
    NODE_TYPES,
    Micros,
    Node,
    dataset_node_id,
    field_node_id,
    job_node_id,
    type_field,
    type_run,
)
from headwater.ingest.service import Service
from headwater.model.entities import INPUT, Job, Run
from headwater.openlineage.timestamps import now, parse, to_datetime
from headwater.shapes.why import Examined, Suspect, Why
from headwater.store.protocol import Log, Tables
from headwater.why import amounts, dataset_history, pace
from headwater.why.suspects import Facts, suspects
from headwater.why.upstream import FACETS, Scope, Upstream

_DAYS_BACK = Micros(7 * pace.DAY)
_EARLIEST = parse("0001-01-01T00:00:00Z")

# The walk upward stops after so many datasets, a millisecond or two, for others to go on.
_DATASETS_PER_SLICE = 5


class RootCauses:
    def __init__(self, service: Service, renderer: Renderer) -> None:
        self._service, self._renderer, self._state = service, renderer, service.state

    async def why(self, node_id: str, requested: Micros | None, since: Micros | None, limit: int, depth: int) -> Why:
        kind = node_type(node_id, NODE_TYPES)
        run = await find_run(self._service, node_id.removeprefix(f"{type_run}:")) if kind == type_run else None
        at = moment_of(requested, run)
        after = since if since is not None else Micros(max(at - _DAYS_BACK, _EARLIEST))
        if after > at:
            raise BadRequest(f"since ({to_datetime(after).isoformat()}) is after at ({to_datetime(at).isoformat()})")
        upstream = Upstream(
            self._state, self._renderer.contents, at, depth, self._renderer.jobs.job_type, strict=kind == type_field
        )
        name = self._begin(upstream, node_id, kind, run)
        for count, _ in enumerate(upstream.walk(), 1):
            if count % _DATASETS_PER_SLICE == 0:
                await asyncio.sleep(0)
        scope = upstream.scope
        await self._service.catch_up()
        suspected, runs = await asyncio.to_thread(judge, self._service.tables, self._service.log, scope, after, run)
        examined = Examined(len(scope.jobs), len(scope.datasets), runs)
        return Why(name, to_datetime(at), to_datetime(after), suspected[:limit], examined, scope.truncated)

    def _begin(self, upstream: Upstream, node_id: str, kind: str, run: Run | None) -> str:
        """Where the walk begins; the node id in its canonical spelling."""
        state, when = self._state, At(upstream.scope.at)
        if run is not None:
            read = {Node(key >> 1) for key in run.uses if key & 1 == INPUT}
            upstream.from_job(state.job_of(run.job), read or None)
            return f"{type_run}:{run.id}"
        if kind == type_field:
            ((dataset, column),) = finish(find_columns(self._state, self._renderer.contents, node_id, when))
            upstream.from_dataset(dataset, {column})
            return field_node_id(state.nodes[dataset].namespace, state.nodes[dataset].name, column)
        entity = state.nodes[find_node(state, node_id, when)]
        if isinstance(entity, Job):
            upstream.from_job(entity)
            return job_node_id(entity.namespace, entity.name)
        upstream.from_dataset(entity.node, None)
        return dataset_node_id(entity.namespace, entity.name)


def moment_of(requested: Micros | None, run: Run | None = None) -> Micros:
    """The moment that a question is about. Of a run that is over its end; else the present. Of
    the future nothing is known, so it is never later than the present."""
    present = now()
    if requested is None:
        ended = run.ended_at if run is not None else None
        return min(ended, present) if ended is not None else present
    return min(requested, present)


def judge(tables: Tables, log: Log, scope: Scope, since: Micros, about: Run | None) -> tuple[list[Suspect], int]:
    """Beside the event loop: reads all that bears on the scope and draws the conclusions."""
    at = scope.at
    runs = tables.recent_runs([*scope.jobs.keys() | scope.parents.keys()], at, pace.RUNS)
    if about is not None:
        before = tables.recent_runs([about.job], about.order[0], pace.RUNS).get(about.job, [])
        runs[about.job] = [about, *(run for run in before if run.order < about.order)]
        if about.order[0] > at:
            del runs[about.job]
    unsettled = [run for some in runs.values() for run in some[:2] if pace.state_at(run, at) != "COMPLETED"]
    signs = tables.run_signs([run.row for run in unsettled], at, pace.SIGNS)
    names = {name.node: dataset.node for dataset in scope.datasets.values() for name in dataset.names}
    facts = Facts(runs, signs, tables.past_values(list(names), FACETS), names)
    contents = {
        register[2] for run in unsettled if (register := run.facets.get("errorMessage")) and register[2] != DELETED
    }
    for some in runs.values():
        contents.update(amounts.contents_of(some, at))
    for dataset in scope.datasets.values():
        contents.update(dataset_history.contents_of_interest(dataset, facts.past, since, at))
    facts.contents = log.contents(contents)
    return suspects(scope, facts, since, about), sum(map(len, runs.values()))
