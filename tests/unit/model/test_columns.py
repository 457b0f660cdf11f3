"""Column lineage."""

from headwater.graph.columns import column_lineage
from headwater.graph.slices import finish
from headwater.ids import Node
from tests.support.make import columns, dataset, dataset_event, deleted, facet, run, schema
from tests.support.world import World, one_world


def written(name: str, *facets: dict[str, object]) -> dict[str, object]:
    return dataset(name, {k: v for f in facets for k, v in f.items()})


def test_columns_are_followed_up_and_down() -> None:
    world = one_world(
        [
            run("COMPLETE", "a", 0, "r1", ["raw"], [written("mid", columns(x=["raw.x"], y=["raw.y"]))]),
            run("COMPLETE", "b", 1, "r2", ["mid"], [written("out", columns(z=["mid.x"]))]),
        ]
    )
    assert world.columns("out.z") == {"mid.x → out.z", "raw.x → mid.x"}
    assert world.columns("raw.x", down=True) == {"raw.x → mid.x", "mid.x → out.z"}
    assert world.columns("out.z", depth=1) == {"mid.x → out.z"}


def test_dataset_wide_inputs_reach_every_column_of_the_schema() -> None:
    reported = written("out", schema("a", "n"), columns(a=["raw.a"], indirect=["raw.day"]))
    world = one_world([run("COMPLETE", "agg", inputs=["raw"], outputs=[reported])])
    assert world.columns("out") == {"raw.a → out.a", "raw.day → out.a", "raw.day → out.n"}
    assert world.columns("raw.day", down=True) == {"raw.day → out.a", "raw.day → out.n"}


def transformations(world: World, src: str, dst: str) -> list[tuple[str, str | None, bool | None]]:
    out = world.node(dst.rpartition(".")[0])
    graph = finish(column_lineage(world.state, world.contents, [(Node(out), dst.rpartition(".")[2])], 1))
    source = (world.node(src.rpartition(".")[0]), src.rpartition(".")[2])
    (edge,) = [e for e in graph.edges if e.src == source]
    return [(t.type, t.subtype, t.masking) for t in edge.transformations]


def test_a_column_that_is_both_copied_and_filtered_by_has_both_transformations() -> None:
    reported = written("out", columns(day=["raw.day"], indirect=["raw.day"]))
    world = one_world([run("COMPLETE", "agg", outputs=[reported])])
    assert transformations(world, "raw.day", "out.day") == [
        ("DIRECT", "IDENTITY", False),
        ("INDIRECT", "FILTER", False),
    ]


def test_the_old_transformation_type_is_understood() -> None:
    inputs = [{"namespace": "db", "name": "raw", "field": "mail"}]
    reported = facet(
        fields={
            "hashed": {"inputFields": inputs, "transformationType": "MASKED", "transformationDescription": "sha256"},
            "same": {"inputFields": inputs, "transformationType": "IDENTITY"},
        }
    )
    world = one_world([run("COMPLETE", "hide", outputs=[dataset("out", {"columnLineage": reported})])])
    assert transformations(world, "raw.mail", "out.hashed") == [("DIRECT", "TRANSFORMATION", True)]
    assert transformations(world, "raw.mail", "out.same") == [("DIRECT", "IDENTITY", None)]


def test_masking_is_shown() -> None:
    field = {
        "namespace": "db",
        "name": "raw",
        "field": "mail",
        "transformations": [{"type": "DIRECT", "subtype": "TRANSFORMATION", "masking": True}],
    }
    reported = facet(fields={"mail": {"inputFields": [field]}})
    world = one_world([run("COMPLETE", "hide", outputs=[dataset("out", {"columnLineage": reported})])])
    assert transformations(world, "raw.mail", "out.mail") == [("DIRECT", "TRANSFORMATION", True)]


def test_the_newest_column_lineage_of_a_job_replaces_the_older() -> None:
    old = run("COMPLETE", "a", 0, "r1", outputs=[written("out", columns(x=["raw.x"]))])
    new = run("COMPLETE", "a", 1, "r2", outputs=[written("out", columns(x=["raw.renamed"]))])
    assert one_world([old, new]).columns("out") == {"raw.renamed → out.x"}


def test_column_lineage_of_different_jobs_adds_up() -> None:
    one = run("COMPLETE", "a", 0, "r1", outputs=[written("out", columns(x=["raw.x"]))])
    two = run("COMPLETE", "b", 1, "r2", outputs=[written("out", columns(x=["other.x"]))])
    assert one_world([one, two]).columns("out") == {"raw.x → out.x", "other.x → out.x"}


def test_deleted_column_lineage_is_gone() -> None:
    reported = run("COMPLETE", "a", 0, "r1", outputs=[written("out", columns(x=["raw.x"]))])
    gone = run("COMPLETE", "a", 1, "r2", outputs=[dataset("out", {"columnLineage": deleted()})])
    assert one_world([reported, gone]).columns("out") == set()


def test_an_event_without_the_facet_keeps_it() -> None:
    reported = run("START", "a", 0, outputs=[written("out", columns(x=["raw.x"]))])
    plain = run("COMPLETE", "a", 1, outputs=["out"])
    assert one_world([reported, plain]).columns("out") == {"raw.x → out.x"}


def test_a_dataset_event_may_report_column_lineage_without_a_job() -> None:
    world = one_world([dataset_event("view", facets=columns(x=["raw.x"]))])
    assert world.columns("view") == {"raw.x → view.x"}
    assert world.all_edges() == {"raw → view"}


def test_columns_without_type_make_no_duplicates() -> None:
    world = one_world(
        [
            run("START", "a", 0, outputs=[dataset("out", schema("id", "name"))]),
            run("COMPLETE", "a", 1, outputs=[dataset("out", schema("id:INT", "name:TEXT", "id"))]),
        ]
    )
    assert [(f["name"], f["type"]) for f in world.dataset("out")["fields"]] == [("id", "INT"), ("name", "TEXT")]


def test_a_readers_narrow_schema_does_not_hide_the_writers() -> None:
    world = one_world(
        [
            run("COMPLETE", "write", 0, "r1", outputs=[dataset("t", schema("id:INT", "name:TEXT"))]),
            run("COMPLETE", "read", 1, "r2", inputs=[dataset("t", schema("id:BIGINT"))]),
        ]
    )
    assert [f["name"] for f in world.dataset("t")["fields"]] == ["id", "name"]


def test_a_readers_schema_is_used_where_no_writer_reported_one() -> None:
    world = one_world([run("COMPLETE", "read", inputs=[dataset("t", schema("id:INT"))])])
    assert [f["name"] for f in world.dataset("t")["fields"]] == ["id"]


def test_every_column_once_in_the_datasets_own_column_lineage() -> None:
    reported = written("out", schema("a", "b"), columns(a=["raw.a"]))
    world = one_world([run("COMPLETE", "agg", outputs=[reported])])
    lineage = world.dataset("out")["columnLineage"]
    assert [(c["name"], [i["field"] for i in c["inputFields"]]) for c in lineage] == [("a", ["a"])]


def test_a_writers_schema_without_columns_does_not_hide_the_readers() -> None:
    world = one_world(
        [
            run("COMPLETE", "write", 0, "r1", outputs=[dataset("t", schema())]),
            run("COMPLETE", "read", 1, "r2", inputs=[dataset("t", schema("id:BIGINT"))]),
        ]
    )
    assert [f["name"] for f in world.dataset("t")["fields"]] == ["id"]
