"""Recorded events in, the graph that a person would draw out. A new case needs no code: put
`NAME.expected.json` here, and `NAME.jsonl` beside it or a path in its `events`."""

import json
from pathlib import Path
from typing import Any

import pytest

from headwater.model.entities import Dataset
from tests.support.world import World, one_world

FOLDER = Path(__file__).parent
CASES = sorted(path.name.removesuffix(".expected.json") for path in FOLDER.glob("*.expected.json"))


def seen(world: World) -> dict[str, Any]:
    """The same shape as an expectation."""
    state = world.state
    datasets = [node for node in state.nodes if isinstance(node, Dataset) and node.first is not None]
    columns = {edge for d in datasets for edge in world.columns(world.name(d.node), depth=1)}
    runs = [
        run for names in state.jobs.values() for job in names.values() for run in world.tables.runs_of_job(job, 1000, 0)
    ]
    jobs = [state.job_of(node) for names in state.jobs.values() for node in names.values()]
    return {
        "edges": sorted(world.all_edges()),
        "columns": sorted(columns),
        "same": sorted(sorted(map(world.name, group.members)) for group in state.aliases.groups()),
        "runs": {f"{world.name(run.job)} {run.id}": run.state for run in sorted(runs, key=lambda r: r.id)},
        "parents": {world.name(j.node): world.name(j.parent[1]) for j in jobs if j.parent is not None},
        "schemas": {
            world.name(d.node): [f"{f['name']}: {f['type']}" for f in world.dataset(world.name(d.node))["fields"]]
            for d in datasets
            if state.aliases.canonical(d.node) == d.node
        },
    }


def test_there_are_cases() -> None:
    assert CASES


@pytest.mark.parametrize("case", CASES)
def test_recorded_events_give_the_expected_graph(case: str) -> None:
    expected = json.loads((FOLDER / f"{case}.expected.json").read_text())
    expected.pop("about")
    events = FOLDER / expected.pop("events", f"{case}.jsonl")
    world = one_world(events.read_bytes().splitlines())
    actual = seen(world)
    assert {part: actual[part] for part in expected} == expected
