"""When a dataset was last written, by whom, and when it is due again."""

import asyncio
from collections.abc import Mapping, Sequence

import msgspec

from headwater.answers.finding import find_node, node_type
from headwater.answers.render import Renderer
from headwater.answers.run_json import moment, run_summary
from headwater.answers.why import moment_of
from headwater.graph.flow import Flow
from headwater.graph.when import At
from headwater.ids import Micros, Node, dataset_node_id, job_node_id, type_dataset
from headwater.ingest.service import Service
from headwater.model.entities import Dataset, Job
from headwater.openlineage.timestamps import to_datetime
from headwater.shapes.freshness import Freshness, InputFreshness
from headwater.store.protocol import Sign, Tables
from headwater.why.fresh import STREAM_RUNS, Fresh, freshness
from headwater.why.pace import BATCH, RUNS, SECOND, SIGNS

# A dataset with more inputs is queried one by one; of an input the latest writers are enough.
_MOST_INPUTS, _MOST_WRITERS = 100, 20


class _Target(msgspec.Struct):
    """A dataset and who writes it, copied out of the state."""

    dataset: Dataset
    names: tuple[Node, ...]
    writers: dict[Node, str]  # with their kinds


class FreshnessFinder:
    def __init__(self, service: Service, renderer: Renderer) -> None:
        self._service, self._renderer, self._state = service, renderer, service.state

    async def freshness(self, node_id: str, requested: Micros | None) -> Freshness:
        at = moment_of(requested)
        node_type(node_id, (type_dataset,))
        when = At(at)
        target = self._look_at(find_node(self._state, node_id, when), when)
        inputs = self._inputs(target, when)
        shown = [self._look_at(node, when) for node in inputs[:_MOST_INPUTS]]
        await self._service.catch_up()
        judged = await asyncio.to_thread(_judge, self._service.tables, [target, *shown], at)
        answer = self._answer(target, judged[0], at)
        answer.inputs = sorted(
            (_input(one.dataset, fresh, at) for one, fresh in zip(shown, judged[1:], strict=True)),
            key=lambda i: (i.ageSeconds is None, -(i.ageSeconds or 0), i.nodeId),
        )
        answer.truncated = len(inputs) > _MOST_INPUTS
        return answer

    def _look_at(self, node: Node, when: At) -> _Target:
        state = self._state
        names = state.aliases.members(node)
        seen: dict[Node, Micros] = {}
        for name in names:
            for edge in state.nodes[name].into:
                last = when.last_seen(state, edge)
                if last is not None and isinstance(state.nodes[edge.src], Job):
                    seen[edge.src] = max(last, seen.get(edge.src, last))
        latest = sorted(seen, key=lambda job: (-seen[job], job))[:_MOST_WRITERS]
        return _Target(
            state.dataset_of(node), names, {job: self._renderer.jobs.job_type(state.job_of(job)) for job in latest}
        )

    def _inputs(self, target: _Target, when: At) -> list[Node]:
        """The datasets that the writers make it from."""
        state = self._state
        inputs: dict[Node, None] = {}
        for job in target.writers:
            flow = Flow(state, state.job_of(job), when)
            for output in flow.outputs:
                if output.dst in target.names:
                    for edge in flow.sources(output):
                        if isinstance(state.nodes[edge.src], Dataset):
                            inputs[state.aliases.canonical(edge.src)] = None
        inputs.pop(target.dataset.node, None)
        return list(inputs)

    def _answer(self, target: _Target, fresh: Fresh | None, at: Micros) -> Freshness:
        name = dataset_node_id(target.dataset.namespace, target.dataset.name)
        if fresh is None:
            return Freshness(name, to_datetime(at), None, None, None, None, None, None, False, [])
        job = self._state.job_of(fresh.job)
        return Freshness(
            nodeId=name,
            at=to_datetime(at),
            lastWrittenAt=to_datetime(fresh.written),
            ageSeconds=(at - fresh.written) / SECOND,
            job=job_node_id(job.namespace, job.name),
            run=run_summary(fresh.run, at),
            everySeconds=None if fresh.every is None else fresh.every / SECOND,
            expectedAt=moment(fresh.expected),
            late=fresh.late,
            inputs=[],
        )


def _judge(tables: Tables, targets: Sequence[_Target], at: Micros) -> list[Fresh | None]:
    kinds = {job: kind for one in targets for job, kind in one.writers.items()}
    runs = tables.recent_runs(list(kinds), at, RUNS)
    streams = [run.row for job, some in runs.items() if kinds[job] != BATCH for run in some[:STREAM_RUNS]]
    signs: Mapping[int, Sequence[Sign]] = tables.run_signs(streams, at, SIGNS)
    return [freshness(one.names, one.writers, runs, signs, at) for one in targets]


def _input(dataset: Dataset, fresh: Fresh | None, at: Micros) -> InputFreshness:
    answer = InputFreshness(
        dataset_node_id(dataset.namespace, dataset.name), "DATASET", dataset.namespace, dataset.name
    )
    if fresh is not None:
        answer.lastWrittenAt, answer.ageSeconds = to_datetime(fresh.written), (at - fresh.written) / SECOND
        answer.late = fresh.late
    return answer
