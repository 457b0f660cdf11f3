"""What the state tells of an event's facets is what reading them would tell."""

import pytest
from hypothesis import HealthCheck, given, settings

from headwater.ids import DELETED
from headwater.ingest.known_facets import recall
from headwater.interpret import datasets, interpret, lineage
from headwater.openlineage import facets
from headwater.openlineage.event import Event, decode
from tests.support.make import columns, dataset, encoded, run, schema
from tests.support.strategies import events
from tests.support.world import Told, World, close_all, record

SCHEMA = schema("a")


def forget() -> None:
    datasets._with_columns.clear()
    lineage._column_sources.clear()


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(events)
def test_an_event_means_the_same_whether_its_facets_are_read_or_recalled(told: list[Told]) -> None:
    try:
        world = World(told)
        for event in map(record, told):
            if isinstance(event, Event):
                forget()
                read = interpret(event)
                forget()
                held = recall(world.state, [event], ())
                assert interpret(event) == read
                assert set(world.log.contents(held)) == held - {DELETED}
    finally:
        close_all()


def test_what_the_datasets_of_an_event_have_already_is_neither_looked_for_nor_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = dataset("out", {**SCHEMA, **columns(a=["in.a"])})
    told = run("COMPLETE", "a", 0, "r", inputs=[dataset("in", SCHEMA)], outputs=[out])
    world = World([told])
    again = decode(encoded(told | {"eventType": "FAIL"}))
    said = interpret(again)
    forget()
    assert {each.content for each in again.facets} <= recall(world.state, [again], ())
    monkeypatch.setattr(facets, "read", lambda kind, _: pytest.fail(f"{kind.__name__} is read"))
    assert interpret(again) == said


def test_what_the_log_knows_itself_is_not_recalled() -> None:
    world = World([run("COMPLETE", "a", 0, "r", outputs=[dataset("out", SCHEMA)])])
    event = decode(encoded(run("COMPLETE", "a", 1, "s", outputs=[dataset("out", SCHEMA), dataset("new", SCHEMA)])))
    assert recall(world.state, [event], ())
    assert not recall(world.state, [event], world.log.known)
