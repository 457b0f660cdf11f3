"""Two names, one dataset: whenever the alias arrives, and until it is taken back."""

from headwater.graph.traverse import UPSTREAM
from tests.support.make import columns, dataset, deleted, run, schema, symlinks
from tests.support.world import one_world

PHYSICAL, LOGICAL = ("s3://lake", "wh/orders"), ("hive://meta:9083", "default.orders")
PHYSICAL_NAME, LOGICAL_NAME = "s3://lake wh/orders", "hive://meta:9083 default.orders"


def test_a_symlink_joins_what_two_engines_call_differently() -> None:
    world = one_world(
        [
            run("COMPLETE", "write", 0, "r1", outputs=[dataset(PHYSICAL, symlinks(LOGICAL))]),
            run("COMPLETE", "read", 1, "r2", inputs=[dataset(LOGICAL)], outputs=["report"]),
        ]
    )
    assert world.nodes("report", UPSTREAM) == {"report", "read()", PHYSICAL_NAME, "write()"}
    assert world.dataset(LOGICAL_NAME)["name"] == "wh/orders"
    assert world.dataset(PHYSICAL_NAME)["aliases"] == [{"namespace": LOGICAL[0], "name": LOGICAL[1]}]


def test_a_symlink_that_arrives_after_both_sides_have_history_joins_them() -> None:
    world = one_world(
        [
            run("COMPLETE", "write", 0, "r1", outputs=[dataset(PHYSICAL, schema("id:INT"))]),
            run("COMPLETE", "read", 1, "r2", inputs=[dataset(LOGICAL)], outputs=["report"]),
            run("START", "write", 60, "r3", outputs=[dataset(PHYSICAL, symlinks(LOGICAL))]),
        ]
    )
    assert world.nodes("report", UPSTREAM) == {"report", "read()", PHYSICAL_NAME, "write()"}
    assert [f["name"] for f in world.dataset(LOGICAL_NAME)["fields"]] == ["id"]


def test_chains_of_symlinks_are_one_dataset() -> None:
    world = one_world(
        [
            run("COMPLETE", "a", 0, "r1", outputs=[dataset("one", symlinks(("db", "two")))]),
            run("COMPLETE", "b", 1, "r2", outputs=[dataset("two", symlinks(("db", "three")))]),
            run("COMPLETE", "c", 2, "r3", inputs=["three"], outputs=["out"]),
        ]
    )
    assert world.nodes("out", UPSTREAM) == {"out", "c()", "one", "a()", "b()"}


def test_two_that_name_each_other_are_one() -> None:
    world = one_world(
        [
            run("COMPLETE", "a", 0, "r1", outputs=[dataset("one", symlinks(("db", "two")))]),
            run("COMPLETE", "b", 1, "r2", outputs=[dataset("two", symlinks(("db", "one")))]),
        ]
    )
    assert world.all_edges() == {"a() → one", "b() → one"}


def test_a_deleted_symlink_parts_them_again() -> None:
    world = one_world(
        [
            run("COMPLETE", "write", 0, "r1", outputs=[dataset(PHYSICAL, symlinks(LOGICAL))]),
            run("COMPLETE", "read", 1, "r2", inputs=[dataset(LOGICAL)]),
            run("COMPLETE", "write", 2, "r3", outputs=[dataset(PHYSICAL, {"symlinks": deleted()})]),
        ]
    )
    assert world.all_edges() == {f"write() → {PHYSICAL_NAME}", f"{LOGICAL_NAME} → read()"}


def test_a_symlink_facet_replaces_the_one_before() -> None:
    world = one_world(
        [
            run("COMPLETE", "write", 0, "r1", outputs=[dataset("t", symlinks(("db", "old_alias")))]),
            run("COMPLETE", "write", 1, "r2", outputs=[dataset("t", symlinks(("db", "new_alias")))]),
            run("COMPLETE", "read", 2, "r3", inputs=["old_alias", "new_alias"]),
        ]
    )
    assert world.all_edges() == {"write() → t", "old_alias → read()", "t → read()"}


def test_column_lineage_through_an_alias_is_one_way() -> None:
    world = one_world(
        [
            run(
                "COMPLETE", "a", 0, "r1", ["raw"], [dataset("t", {**symlinks(("db", "alias")), **columns(x=["raw.x"])})]
            ),
            run("COMPLETE", "b", 1, "r2", ["alias"], [dataset("out", columns(y=["alias.x"]))]),
        ]
    )
    assert world.columns("out.y") == {"t.x → out.y", "raw.x → t.x"}
    assert world.columns("raw.x", down=True) == {"raw.x → t.x", "t.x → out.y"}


def test_a_session_local_name_of_flink_is_no_identity() -> None:
    local = ("kafka://b:9092", "default_catalog.default_database.orders")
    world = one_world(
        [
            run("START", "one", 0, "r1", inputs=[dataset(("kafka://b:9092", "orders"), symlinks(local))]),
            run("START", "two", 1, "r2", inputs=[dataset(("kafka://b:9092", "orders-c"), symlinks(local))]),
        ]
    )
    assert world.all_edges() == {"kafka://b:9092 orders → one()", "kafka://b:9092 orders-c → two()"}


def test_brokers_of_one_cluster_are_one_namespace() -> None:
    world = one_world(
        [
            run("START", "one", 0, "r1", outputs=[dataset(("kafka://b1:9092", "orders"))]),
            run("START", "two", 1, "r2", inputs=[dataset(("kafka://b2:9092", "orders"))]),
            run("START", "three", 2, "r3", inputs=[dataset(("kafka://b2:9092,b1:9092", "orders"))]),
            run("START", "four", 3, "r4", inputs=[dataset(("kafka://b2:9092", "other"))]),
        ]
    )
    topic = "kafka://b1:9092 orders"
    assert world.lineage(topic) == {f"one() → {topic}", f"{topic} → two()", f"{topic} → three()"}


def test_different_spellings_of_one_object_store_are_one() -> None:
    world = one_world(
        [
            run("COMPLETE", "write", 0, "r1", outputs=[dataset(("s3a://lake/", "wh/orders/"))]),
            run("COMPLETE", "read", 1, "r2", inputs=[dataset(("s3://lake", "/wh/orders"))]),
        ]
    )
    assert world.all_edges() == {f"write() → {PHYSICAL_NAME}", f"{PHYSICAL_NAME} → read()"}


def test_a_dataset_that_names_itself_is_left_alone() -> None:
    world = one_world([run("COMPLETE", "a", outputs=[dataset("t", symlinks(("db", "t")))])])
    assert world.dataset("t")["aliases"] == []


def test_an_alias_that_was_taken_back_before_it_arrived_changes_nothing() -> None:
    """Nobody else names the alias, so only its being an alias could make a difference."""
    world = one_world(
        [
            run("START", "write", 0, outputs=[dataset(PHYSICAL, symlinks(LOGICAL))]),
            run("COMPLETE", "write", 1, outputs=[dataset(PHYSICAL, {"symlinks": deleted()})]),
        ]
    )
    assert world.dataset(PHYSICAL_NAME)["aliases"] == []
