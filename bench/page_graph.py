"""Graphs for the page: so many jobs, so many datasets, so many edges, and 20 columns on each dataset.

Jobs stand in stages: those of the first read one dataset, those of the others what was written shortly before.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cached_property
from random import Random
from typing import Any, Literal
from uuid import UUID

import msgspec

State = Literal["START", "RUNNING", "COMPLETE", "FAIL"]

COLUMNS = 20
_STAGES = 10  # as deep as pipelines of that size are
_SOURCES_OF_COLUMNS = 2
_MOST_READERS = 20  # of one dataset
_PRODUCER = "https://headwater.example/bench/1.0"
_HEAD, _ROW = 64, 23  # pixels of a card, as web/src/graph/cards.ts has them


class PageGraph(msgspec.Struct, frozen=True, dict=True):
    namespace: str
    jobs: int
    inputs: int  # of each job; the first ones have fewer
    outputs: int

    @property
    def node_count(self) -> int:
        return 1 + self.jobs * (1 + self.outputs)

    @property
    def edge_count(self) -> int:
        return sum(len(sources) + self.outputs for sources in self._sources)

    def job(self, i: int) -> str:
        return f"job_{i:04}"

    def node_id(self, i: int) -> str:
        return f"job:{self.namespace}:{self.job(i)}"

    @cached_property
    def _sources(self) -> list[list[str]]:
        """What each job reads: what was written one or two stages before it."""
        random = Random(1)
        readers: dict[str, int] = {"source": 0}
        sources: list[list[str]] = []
        stages = [range(n * self.jobs // _STAGES, (n + 1) * self.jobs // _STAGES) for n in range(_STAGES)]
        for number, stage in enumerate(stages):
            before = [job for earlier in stages[max(0, number - 2) : number] for job in earlier]
            written = [name for job in before for name in self._written(job)] or ["source"]
            for _ in stage:
                near = [name for name in written if name == "source" or readers[name] < _MOST_READERS]
                sources.append(chosen := random.sample(near, min(self.inputs, len(near))))
                for name in chosen:
                    readers[name] += 1
            readers.update({name: 0 for job in stage for name in self._written(job)})
        return sources

    def _written(self, i: int) -> list[str]:
        return [f"table_{i:04}_{n}" for n in range(self.outputs)]

    # As events

    def events(self) -> Iterator[dict[str, Any]]:
        for i in range(self.jobs):
            yield self.event(i, "COMPLETE", run=str(i))

    def event(self, i: int, kind: State, run: str) -> dict[str, Any]:
        def datasets(names: list[str]) -> list[dict[str, str]]:
            return [{"namespace": f"{self.namespace}_db", "name": name} for name in names]

        return {
            "eventType": kind,
            "eventTime": datetime.now(UTC).isoformat(),
            "producer": _PRODUCER,
            "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
            "run": {"runId": str(UUID(int=Random(f"{self.namespace} {run}").getrandbits(128), version=4))},
            "job": {"namespace": self.namespace, "name": self.job(i)},
            "inputs": datasets(self._sources[i]),
            "outputs": datasets(self._written(i)),
        }

    # As a task for the page's layout

    def task(self) -> dict[str, Any]:
        """With all columns open. Columns of a dataset come from two of those that its job reads; the page
        tells the layout once which cards have such edges between them."""
        names = ["source"]
        for i in range(self.jobs):
            names += [self.job(i), *self._written(i)]
        number = {name: n for n, name in enumerate(names)}
        links: list[tuple[int, int]] = []
        for i, sources in enumerate(self._sources):
            job, written = number[self.job(i)], [number[name] for name in self._written(i)]
            links += [(number[source], job) for source in sources]
            links += [(job, name) for name in written]
            links += [(number[source], name) for source in sources[:_SOURCES_OF_COLUMNS] for name in written]
        heights = [_HEAD if name.startswith("job") else _HEAD + COLUMNS * _ROW for name in names]
        return {"names": names, "heights": heights, "links": links}
