"""Edits: the later word wins, whatever comes first, and the log gives them back."""

import pytest

from headwater.errors import BadEvent
from headwater.ids import Position
from headwater.model.edits import Edit, NamespacePut, SourcePut, TagPut, decode_edit, edit, is_edit
from headwater.store.protocol import EventFilter
from tests.support import make
from tests.support.make import dataset, dataset_ref, facet, job_ref, micros, run, tagging
from tests.support.world import World, one_world


def owner(name: str, who: str, at: float, about: str | None = None) -> Edit:
    return edit(NamespacePut(at=micros(at), name=name, owner=who, description=about))


def test_an_edit_comes_back_from_the_log_as_it_was() -> None:
    sent = [
        owner("s3://ünï 😀\0", "me", 1),
        tagging(dataset_ref("a"), "pii", 2, "x"),
        make.deletion(job_ref("j"), at=3),
    ]
    world = World(sent)
    bodies = [stored.body for stored in world.log.read(Position(0))]
    assert all(is_edit(body) for body in bodies)
    assert [decode_edit(body) for body in bodies] == sent


@pytest.mark.parametrize("body", [b"edit ", b"edit {", b'edit {"type":"other"}', b'edit {"type":"tag","name":"x"}'])
def test_what_is_no_edit_is_refused(body: bytes) -> None:
    with pytest.raises(BadEvent):
        decode_edit(body)


def test_the_later_owner_counts() -> None:
    world = one_world([owner("new", "b", 2, "second"), owner("new", "a", 1, "first")])
    assert world.state.edited.namespaces["new"][1:] == ("b", "second")
    assert (world.state.namespaces["new"].first, world.state.namespaces["new"].last) == (micros(1), micros(2))


def test_the_latest_uri_of_a_source_counts() -> None:
    put = edit(SourcePut(at=micros(5), name="warehouse", kind="KAFKA", url="kafka://new", description="d"))
    seen = [
        run("START", "j", at, f"r{at}", [dataset("a", {"dataSource": facet(name="warehouse", uri=uri)})])
        for at, uri in ((1, "kafka://old"), (5, "kafka://same moment"))
    ]
    world = one_world([*seen, put])
    source = world.state.sources["warehouse"]
    assert (source.uri, source.first, source.last) == ("kafka://new", micros(1), micros(5))


def test_a_tag_keeps_its_description_when_it_is_used_or_put_without_one() -> None:
    world = one_world(
        [
            edit(TagPut(at=micros(1), name="pii", description="personal")),
            edit(TagPut(at=micros(2), name="pii")),
            tagging(dataset_ref("a"), "pii", 3),
            tagging(dataset_ref("a"), "other", 3),
        ]
    )
    assert {name: edit[1] for name, edit in world.state.edited.tags.items()} == {"pii": "personal", "other": None}


def test_tags_of_people_count_over_those_of_events() -> None:
    tags = {"tags": facet(tags=[{"key": "pii", "value": "true"}, {"key": "tier", "value": "gold"}])}
    field = {"tags": facet(tags=[{"key": "raw", "value": "true", "field": "x"}])}
    world = one_world(
        [
            run("START", "j", 0, "r1", [dataset("a", {**make.schema("x", "y"), **field})], job_facets=tags),
            tagging(job_ref("j"), "pii", 1, on=False),
            tagging(job_ref("j"), "mine", 1),
            tagging(dataset_ref("a"), "whole", 1),
            tagging(dataset_ref("a"), "raw", 1, "x", on=False),
            tagging(dataset_ref("a"), "key", 1, "y"),
            run("COMPLETE", "j", 2, "r1", job_facets=tags),
        ]
    )
    assert world.job("j()")["tags"] == ["tier:gold", "mine"]
    shown = world.dataset("a")
    assert shown["tags"] == ["whole"]
    assert {f["name"]: f["tags"] for f in shown["fields"]} == {"x": [], "y": ["key"]}


def test_tags_on_any_name_of_a_dataset_are_its_tags() -> None:
    world = one_world(
        [
            tagging(dataset_ref("alias"), "one", 1),
            tagging(dataset_ref("alias"), "off", 1),
            tagging(dataset_ref("a"), "off", 2, on=False),
            run("START", "j", 0, outputs=[dataset("a", make.symlinks(("db", "alias")))]),
        ]
    )
    assert world.dataset("a")["tags"] == ["one"]


def test_edits_are_no_events() -> None:
    world = World([run("START", "j"), tagging(job_ref("j"), "t", 1), run("COMPLETE", "j", 2), owner("n", "o", 3)])
    assert world.state.position == 4
    assert sorted(world.tables.events(EventFilter())) == [1, 3]
    assert world.tables.count_events(EventFilter()) == 2


def test_job_types_are_labels_and_a_parent_has_an_id() -> None:
    kind = {"jobType": facet(processingType="STREAMING", integration="FLINK", jobType="JOB")}
    world = World([run("START", "dag.task", facets=make.parent("dag", "r0"), job_facets=kind)])
    shown = world.job("dag.task()")
    assert (shown["type"], shown["labels"]) == ("STREAM", ["JOB", "FLINK"])
    assert (shown["simpleName"], shown["parentJobName"]) == ("task", "dag")
    assert len(shown["parentJobUuid"]) == 36
