"""Facets that Headwater understands."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.openlineage import facets as f
from headwater.openlineage.event import decode
from tests.support import make
from tests.support.examples import examples
from tests.unit.openlineage import strategies as some

KINDS = sorted(f.TypedFacet.__subclasses__(), key=lambda kind: kind.__name__)


def encoded(**content: Any) -> bytes:
    return json.dumps(make.facet(**content)).encode()


def test_schema_fields_may_have_fields() -> None:
    schema = f.read(
        f.Schema,
        encoded(
            fields=[
                {"name": "id", "type": "INT", "description": "the key", "ordinal_position": 1},
                {"name": "address", "type": "STRUCT", "fields": [{"name": "city"}]},
            ]
        ),
    )
    assert schema is not None
    assert schema.fields is not None
    assert [(x.name, x.type, x.description) for x in schema.fields] == [
        ("id", "INT", "the key"),
        ("address", "STRUCT", None),
    ]
    assert schema.fields[1].fields == [f.SchemaField("city")]


def test_column_lineage_has_fields_and_what_feeds_the_whole_dataset() -> None:
    body = json.dumps(make.columns(total=["orders.price"], indirect=["orders.day"])["columnLineage"]).encode()
    facet = f.read(f.ColumnLineage, body)
    assert facet is not None
    assert facet.fields is not None
    assert facet.dataset is not None
    direct, indirect = facet.fields["total"].inputFields[0], facet.dataset[0]
    assert (direct.namespace, direct.name, direct.field) == ("db", "orders", "price")
    assert direct.transformations == [f.Transformation("DIRECT", "IDENTITY", "", False)]
    assert (indirect.field, indirect.transformations and indirect.transformations[0].type) == ("day", "INDIRECT")


def test_column_lineage_of_the_first_kind_has_one_transformation_a_field() -> None:
    fields = {"a": {"inputFields": [], "transformationType": "MASKED", "transformationDescription": "hashed"}}
    facet = f.read(f.ColumnLineage, encoded(fields=fields))
    assert facet is not None
    assert facet.fields is not None
    assert facet.fields["a"] == f.OutputField([], "hashed", "MASKED")


def test_a_parent_may_come_with_a_root() -> None:
    body = json.dumps(make.parent("dag", "r1", root=("top", "r0"))["parent"]).encode()
    assert f.read(f.ParentRun, body) == f.ParentRun(
        run=f.RunRef("r1"),
        job=f.Identifier("jobs", "dag"),
        root=f.RootRef(f.RunRef("r0"), f.Identifier("jobs", "top")),
    )


def test_lineage_has_a_form_for_jobs_and_one_for_datasets() -> None:
    source = {"type": "DATASET", "namespace": "db", "name": "raw", "field": "id"}
    entries = [
        {"type": "DATASET", "namespace": "db", "name": "x", "inputs": [source], "fields": {"id": {"inputs": []}}}
    ]
    by_job = f.read(f.JobLineage, encoded(entries=entries))
    by_dataset = f.read(f.DatasetLineage, encoded(inputs=[source]))
    assert by_job is not None
    assert by_dataset is not None
    raw = f.LineageInput("DATASET", "db", "raw", "id")
    assert by_job.entries == [f.LineageEntry("DATASET", "db", "x", None, [raw], {"id": f.LineageFieldEntry([])})]
    assert by_dataset.inputs == [raw]


def test_tags_may_be_of_a_field() -> None:
    facet = f.read(f.Tags, encoded(tags=[{"key": "pii"}, {"key": "level", "value": "2", "field": "id", "source": "x"}]))
    assert facet is not None
    assert facet.tags == [f.Tag("pii"), f.Tag("level", "2", "x", "id")]


def test_fields_that_nobody_knows_are_passed_over() -> None:
    read = f.read(f.Documentation, encoded(description="x", contentType="text/markdown", more={"deep": [1.5]}))
    assert read == f.Documentation(description="x")


@pytest.mark.parametrize("kind", KINDS)
def test_every_facet_may_be_empty(kind: type[f.TypedFacet]) -> None:
    assert f.read(kind, b"{}") == kind()


@pytest.mark.parametrize("kind", KINDS)
def test_every_facet_may_have_null_for_what_is_not_there(kind: type[f.TypedFacet]) -> None:
    body = json.dumps(dict.fromkeys(kind.__struct_encode_fields__)).encode()
    assert f.read(kind, body) == kind()


def test_no_facet_reads_as_none() -> None:
    assert f.read(f.Schema, None) is None


@pytest.mark.parametrize("kind", KINDS)
def test_a_deleted_facet_reads_as_none(kind: type[f.TypedFacet]) -> None:
    assert f.read(kind, encoded(_deleted=True)) is None
    assert f.read(kind, encoded(_deleted=False)) is not None


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        (f.Schema, {"fields": "id, name"}),
        (f.Schema, {"fields": [{"type": "INT"}]}),
        (f.Symlinks, {"identifiers": [{"namespace": "db"}]}),
        (f.ColumnLineage, {"fields": {"a": []}}),
        (f.ParentRun, {"run": "r1"}),
        (f.Tags, {"tags": [{"key": 5}]}),
        (f.Documentation, {"_deleted": "yes"}),
    ],
)
def test_a_facet_that_breaks_its_schema_is_counted(kind: type[f.TypedFacet], content: dict[str, Any]) -> None:
    before = f.not_understood[kind.__name__]
    assert f.read(kind, encoded(**content)) is None
    assert f.not_understood[kind.__name__] == before + 1


@pytest.mark.parametrize(
    ("body", "deleted"),
    [
        (b'{"_deleted": true}', True),
        (b'{"_deleted":true, "fields": 5}', True),
        (b'{"_deleted": false}', False),
        (b'{"_deleted": null}', False),
        (b'{"_deleted": "true"}', False),
        (b'{"_deleted": 1}', False),
        (b'{"inner": {"_deleted": true}}', False),
        (b'{"note": "_deleted"}', False),
        (b"{}", False),
    ],
)
def test_only_true_deletes(body: bytes, deleted: bool) -> None:
    assert f.is_deleted(body) is deleted


def test_a_deep_facet_that_was_accepted_can_be_read_anywhere() -> None:
    def from_deep(frames: int) -> f.Schema | None:
        return from_deep(frames - 1) if frames else f.read(f.Schema, facet.content)

    for levels in range(1, 500, 20):
        fields: list[Any] = []
        for _ in range(levels):
            fields = [{"name": "x", "fields": fields}]
        schema = {"schema": make.facet(fields=fields)}
        try:
            event = decode(json.dumps(make.dataset_event("a", facets=schema)).encode())
        except Exception:
            assert levels > 100, "a hundred levels are not too many"
            return
        assert event.dataset is not None
        facet = event.dataset.facets["schema"]
        assert from_deep(400) is not None
    pytest.fail("500 levels were accepted")


@examples(150)
@given(st.dictionaries(st.one_of(st.sampled_from(["fields", "tags", "run", "_deleted"]), some.texts), some.values))
def test_any_object_can_be_read_as_any_facet(content: dict[str, Any]) -> None:
    body = json.dumps(content).encode()
    for kind in KINDS:
        facet = f.read(kind, body)
        assert facet is None or isinstance(facet, kind)
    assert f.is_deleted(body) is (content.get("_deleted") is True)
