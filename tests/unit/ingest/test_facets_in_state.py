"""What the state holds of an event's facets is what decoding them would give."""

import pytest
from hypothesis import given

from headwater.ids import DELETED
from headwater.ingest.facets_in_state import contents_in_state
from headwater.interpret import interpret
from headwater.interpret.known_facets import KnownFacets
from headwater.openlineage import facets
from headwater.openlineage.event import Event, decode
from tests.support.examples import examples
from tests.support.make import columns, dataset, encoded, run, schema
from tests.support.strategies import events
from tests.support.world import EventOrEdit, World, close_all, record

SCHEMA = schema("a")


@examples(60)
@given(events)
def test_an_event_means_the_same_whether_its_facets_are_decoded_or_known_from_the_state(
    sent: list[EventOrEdit],
) -> None:
    try:
        world = World(sent)
        for event in map(record, sent):
            if isinstance(event, Event):
                decoded = interpret(event, KnownFacets())
                known = KnownFacets()
                contents = contents_in_state(world.state, [event], (), known)
                assert interpret(event, known) == decoded
                assert set(world.log.contents(contents)) == contents - {DELETED}
    finally:
        close_all()


def test_facets_that_the_datasets_of_an_event_have_already_are_neither_looked_up_nor_decoded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = dataset("out", {**SCHEMA, **columns(a=["in.a"])})
    event = run("COMPLETE", "a", 0, "r", inputs=[dataset("in", SCHEMA)], outputs=[out])
    world = World([event])
    again = decode(encoded(event | {"eventType": "FAIL"}))
    changes = interpret(again, KnownFacets())
    known = KnownFacets()
    assert {facet.content_id for facet in again.facets} <= contents_in_state(world.state, [again], (), known)
    monkeypatch.setattr(facets, "read", lambda kind, _: pytest.fail(f"{kind.__name__} is decoded"))
    assert interpret(again, known) == changes


def test_contents_that_the_log_knows_itself_are_not_looked_up_in_the_state() -> None:
    world = World([run("COMPLETE", "a", 0, "r", outputs=[dataset("out", SCHEMA)])])
    event = decode(encoded(run("COMPLETE", "a", 1, "s", outputs=[dataset("out", SCHEMA), dataset("new", SCHEMA)])))
    assert contents_in_state(world.state, [event], (), KnownFacets())
    assert not contents_in_state(world.state, [event], world.log.known_contents, KnownFacets())
