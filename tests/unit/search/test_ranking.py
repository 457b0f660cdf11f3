"""What is found, and in which order."""

from typing import Any

import pytest

from headwater.openlineage.timestamps import parse
from headwater.search.search import NAME, UPDATED, SearchQuery
from tests.support import make
from tests.support.world import World
from tests.unit.search.searching import hit_names, names, searching


def described(text: str) -> dict[str, Any]:
    return {"documentation": make.facet(description=text)}


def tagged(*keys: str) -> dict[str, Any]:
    return {"tags": make.facet(tags=[{"key": key, "value": "true"} for key in keys])}


def owned(*owners: str) -> dict[str, Any]:
    return {"ownership": make.facet(owners=[{"name": name} for name in owners])}


def sql(text: str) -> dict[str, Any]:
    return {"sql": make.facet(query=text)}


def datasets(*named: str) -> World:
    return World([make.dataset_event(name, at=n) for n, name in enumerate(named)])


async def test_the_better_the_place_the_higher_the_hit() -> None:
    """Told in the wrong order, so that time does not help."""
    events = [
        make.dataset_event("price", 0),
        make.dataset_event("default.price", 1),
        make.dataset_event("price_list", 2),
        make.dataset_event("default.prices", 3),
        make.dataset_event("list_of_price", 4),
        make.dataset_event("list_of_prices", 5),
        make.dataset_event("tagged", 6, tagged("price")),
        make.dataset_event("owned", 6.5, owned("price")),
        make.dataset_event("columns", 7, make.schema("price")),
        make.dataset_event(("price", "in_namespace"), 8),
        make.dataset_event("about", 9, described("what the price is")),
        make.job_event("query", 10, sql("SELECT price FROM x")),
        make.dataset_event("nothing", 11),
    ]
    expected = "price default.price price_list default.prices list_of_price list_of_prices"
    expected += " owned tagged columns in_namespace about query()"
    assert await hit_names(World(events), "price", limit=20) == expected.split()


async def test_of_equal_hits_the_last_changed_comes_first() -> None:
    world = datasets("orders_a", "orders_c", "orders_b")
    assert await hit_names(world, "orders") == ["orders_b", "orders_c", "orders_a"]


@pytest.mark.parametrize(
    "text", ["supplier", "supplier_st", "Supplier_Stats", "stats", "SUPP", "def", "supplier stats"]
)
async def test_parts_and_beginnings_of_a_name_find_it(text: str) -> None:
    assert await hit_names(datasets("default.supplier_stats", "other"), text) == ["default.supplier_stats"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ordersIngestion", "ingestion"),
        ("ordersIngestion", "ordersing"),
        ("orders-to-iceberg", "iceb"),
        ("orders2024", "2024"),
        ("Заказы", "зак"),
        ("订单明细", "明细"),
        ("Café", "cafe"),
        ("orders 🚀", "orders 🚀"),
        ("a" * 300, "a" * 200),
        ("x" * 2000, "x" * 2000),
    ],
)
async def test_names_of_all_kinds_are_found(name: str, text: str) -> None:
    assert await hit_names(datasets(name, "other"), text) == [name]


async def test_columns_inside_columns_tags_of_columns_and_their_descriptions_are_found() -> None:
    fields = [{"name": "address", "type": "struct", "fields": [{"name": "zip", "description": "postal code"}]}]
    tags = {"tags": make.facet(tags=[{"key": "tier", "value": "gold", "field": "address"}])}
    world = World([make.dataset_event("people", 0, {"schema": make.facet(fields=fields), **tags})])
    for text in ("zip", "postal", "gold", "tier:gold"):
        assert await hit_names(world, text) == ["people"], text


async def test_namespaces_node_ids_and_addresses_are_found() -> None:
    world = World([make.dataset_event(("s3://warehouse", "orders")), make.dataset_event(("s3://lake", "orders"))])
    for text in ("s3://warehouse/orders", "dataset:s3://warehouse:orders", "warehouse orders"):
        async with searching(world) as search:
            hits = (await search.ask(SearchQuery(text))).hits
        assert hits[0].document.namespace == "s3://warehouse", text


async def test_every_word_must_be_found_and_if_no_hit_has_all_some() -> None:
    world = World([make.dataset_event("orders", 0, make.schema("price")), make.dataset_event("prices", 1)])
    assert await hit_names(world, "orders price") == ["orders"]
    assert await hit_names(world, "price orders") == ["orders"]
    assert await hit_names(world, "xyzzy orders") == ["orders"]
    assert await hit_names(world, "xyzzy") == []


async def test_one_typo_in_a_longer_word_is_forgiven_below_hits_without() -> None:
    world = datasets("suplier_tmp", "supplier_stats", "item")
    assert await hit_names(world, "suplier") == ["suplier_tmp", "supplier_stats"]
    assert await hit_names(world, "supplierr_stats") == ["supplier_stats"]
    assert await hit_names(world, "supplierStats") == ["supplier_stats"]
    assert await hit_names(world, "itme") == []


async def test_a_dataset_is_found_once_by_any_of_its_names() -> None:
    world = World([make.dataset_event("physical", 0, make.symlinks(("hive", "logical.table")))])
    for text in ("physical", "logical", "logical.table"):
        assert await hit_names(world, text) == ["physical"], text


async def test_dropped_datasets_and_mere_names_are_not_found() -> None:
    world = World(
        [
            make.run("COMPLETE", "drop", 0, outputs=[make.dataset("gone", make.lifecycle("DROP"))]),
            make.dataset_event("here", 1, make.symlinks(("db", "else"))),
        ]
    )
    assert await hit_names(world, "gone") == []
    async with searching(world) as search:
        assert {h.document.name for h in (await search.ask(SearchQuery("db", limit=100))).hits} == {"here"}


async def test_filters_and_paging() -> None:
    events: list[dict[str, Any]] = [make.dataset_event(f"orders_{n}", n) for n in range(20)]
    events += [make.job_event("orders_job", 5), make.dataset_event(("kafka://b1", "orders"), 30)]
    async with searching(World(events)) as search:

        async def ask(**options: Any) -> tuple[int, list[str]]:
            answer = await search.ask(SearchQuery("orders", **options))
            return answer.total, names(answer)

        assert await ask(kind="JOB") == (1, ["orders_job()"])
        assert (await ask(kind="DATASET"))[0] == 21
        assert await ask(namespace="kafka://b1") == (1, ["orders"])
        assert await ask(namespace="nowhere") == (0, [])
        total, every = await ask(limit=100)
        assert total == len(every) == 22
        pages = [await ask(limit=5, offset=offset) for offset in range(0, 25, 5)]
        assert [name for _, page in pages for name in page] == every
        assert {total for total, _ in pages} == {22}
        assert await ask(limit=0) == (22, [])
        assert await ask(offset=1000) == (22, [])
        moment = parse(make.time(10))
        assert await ask(after=moment, kind="DATASET", namespace="db", sort=NAME) == (
            9,
            sorted(f"orders_{n}" for n in range(11, 20)),
        )
        assert (await ask(before=moment, kind="DATASET"))[0] == 10
        by_time = (await ask(sort=UPDATED, namespace="db", limit=3))[1]
        assert by_time == ["orders_19", "orders_18", "orders_17"]


async def test_more_hits_than_are_sorted_are_counted_and_paged() -> None:
    world = World([make.dataset_event(f"orders_{n}", 1 + n * 0.001) for n in range(1200)])
    async with searching(world) as search:
        first = await search.ask(SearchQuery("orders", limit=10))
        assert first.total == 1200
        late = await search.ask(SearchQuery("orders", limit=1000, offset=1000))
        assert (late.total, len(late.hits)) == (1200, 200)
        latest = await search.ask(SearchQuery("orders", limit=3, sort=UPDATED))
        assert len(latest.hits) == 3


@pytest.mark.parametrize(
    "text", ['"', "((", "a AND (b", "*", "\\", "\0", "\n", "🚀" * 3000, "name:x", "~1 ^2", "é" * 10_000]
)
async def test_any_text_may_be_a_query(text: str) -> None:
    assert await hit_names(datasets("orders"), text) == []
