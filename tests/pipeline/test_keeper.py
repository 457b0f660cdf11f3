"""Queries go on: with schemas that they learn while they run, without those that nobody knows, after failures."""

import json
import random
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline import records, topics
from pipeline.jobs import Context, Job, Prepared
from pipeline.keeper import GivenUp, Keeper, Kept, in_short
from pipeline.knowledge import REJECTED_FILE, Knowledge, NotesInFolder
from pipeline.orders import Encoder, make_order
from pipeline.registry import Registry
from pipeline.schemas import ORDER_VERSIONS, ORDERS_SUBJECT, header
from pipeline.settings import Settings
from tests.integration.support import wait_for
from tests.pipeline import kafka, truth
from tests.pipeline.services import Services

PATIENCE = 120.0


class World:
    """A query over a topic of its own, kept running in this process."""

    def __init__(self, spark: Any, places: Settings, folder: Path, topic: str) -> None:
        self.places, self.topic, self.folder = places, topic, folder
        self.said: list[str] = []
        self.rows: list[tuple[str, str]] = []  # order id and reason
        self.starts = 0
        self.knowledge = Knowledge(Registry(places.registry), NotesInFolder(spark, folder.as_uri()))
        self._context = lambda known: Context(spark, places, known, 0, 1000, topic)
        self._patience = 5
        self.keep(self.start)

    def keep(self, start: Callable[[Context, Prepared], Any]) -> None:
        self.kept = Kept(Job(f"test-{self.topic}", start, every=0.1), 0.1)
        self.keeper = Keeper([self.kept], self.knowledge, self._context, self._patience, self.said.append)

    def start(self, context: Context, prepared: Prepared) -> Any:
        self.starts += 1
        decoded = context.decoded().selectExpr("order.order_id", "reason")
        query = prepared(decoded).option("checkpointLocation", (self.folder / "checkpoint").as_uri())
        return query.foreachBatch(lambda batch, _: self.rows.extend((r[0], r[1]) for r in batch.collect())).start()

    def until(self, condition: Callable[[], Any], what: str) -> None:
        def looked() -> Any:
            self.keeper.look()
            return condition()

        wait_for(looked, f"{what}; it said {self.said}", PATIENCE)

    def send(self, *values: bytes | None) -> None:
        kafka.send(self.places, self.topic, values)

    def ids(self) -> set[str]:
        return {order_id for order_id, reason in self.rows if reason is None}


@pytest.fixture
def world(
    spark: Any, places: Settings, services: Services, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[World]:
    topic = f"keeper-{abs(hash(request.node.name))}"
    topics.ensure(places.kafka, [topic], 2)
    made = World(spark, places, tmp_path, topic)
    yield made
    made.keeper.stop()


def order(version: int, schema_id: int, seed: int) -> tuple[str, bytes]:
    made = make_order(random.Random(seed), 1_800_000_000_000)
    return made.order_id, Encoder(version, schema_id).encode(made)


def first_order(world: World) -> str:
    order_id, value = order(1, next(iter(world.knowledge.current.schemas)), 1)
    world.send(value)
    world.until(lambda: order_id in world.ids(), "the first order")
    return order_id


def test_a_version_that_turns_up_in_a_record_is_asked_for_and_read(world: World) -> None:
    first = first_order(world)
    new_id = kafka.register(world.places, ORDERS_SUBJECT, ORDER_VERSIONS[2])
    second, value = order(2, new_id, 2)
    world.send(value)
    world.until(lambda: second in world.ids(), "the order of the new version")
    assert world.starts == 2
    assert world.ids() == {first, second}
    assert new_id in world.knowledge.current.schemas


def test_a_version_that_is_registered_renews_the_query_before_anything_fails(world: World) -> None:
    first_order(world)
    kafka.register(world.places, ORDERS_SUBJECT, ORDER_VERSIONS[2])
    stopped = threading.Event()
    watching = world.knowledge.watch(0.05, stopped, world.said.append)
    try:
        new_id = kafka.register(world.places, ORDERS_SUBJECT, truth.evolved("renewed"))
        world.until(lambda: new_id in (world.kept.known or world.knowledge.current).schemas, "the renewal")
    finally:
        stopped.set()
        watching.join()
    old, value = order(2, new_id, 3)
    world.send(value + b"\0")  # the new field, empty
    world.until(lambda: old in world.ids(), "the order of the new version")
    assert [line for line in world.said if "versions of orders-value now" in line] == world.said


def test_ids_that_nobody_knows_are_rejected_all_at_once_and_remembered(spark: Any, world: World) -> None:
    first_order(world)
    starts = world.starts
    rubbish = [header(900_000 + number) + b"?" for number in range(50)]
    world.send(*rubbish)
    world.until(lambda: len(world.rows) == 51, "the dead letters")
    # A batch for each partition at the worst, as the records do not come in one.
    assert world.starts - starts <= 2
    assert {reason for _, reason in world.rows if reason} == {f"unknown schema id {900_000 + n}" for n in range(50)}
    assert len(json.loads((world.folder / REJECTED_FILE).read_text())) == 50
    again = Knowledge(Registry(world.places.registry), NotesInFolder(spark, world.folder.as_uri()))
    assert again.current.rejected == world.knowledge.current.rejected


def test_an_id_that_was_rejected_is_taken_when_it_is_registered_after_all(world: World) -> None:
    new_id = kafka.register(world.places, ORDERS_SUBJECT, truth.evolved("rejected_first"))
    world.knowledge.current = records.Known(
        {n: s for n, s in world.knowledge.current.schemas.items() if n != new_id}, frozenset({new_id})
    )
    assert world.knowledge.refresh()
    assert new_id in world.knowledge.current.schemas
    assert new_id not in world.knowledge.current.rejected


def test_a_query_that_fails_is_started_again_and_goes_on_where_it_was(world: World) -> None:
    first_order(world)
    breaks = [True]
    start = world.start

    def fragile(context: Context, prepared: Prepared) -> Any:
        if breaks.pop() if breaks else False:
            raise OSError("the store is away")
        return start(context, prepared)

    world.keeper.stop()
    world.keep(fragile)
    second, value = order(1, next(iter(world.knowledge.current.schemas)), 4)
    world.send(value)
    world.until(lambda: second in world.ids(), "the second order")
    assert len(world.rows) == 2
    assert [line for line in world.said if "the store is away" in line and "started again in 1 s" in line]


def test_a_query_that_always_fails_is_given_up_with_its_last_words(world: World, monkeypatch: Any) -> None:
    monkeypatch.setattr("pipeline.keeper.FIRST_PAUSE", 0.01)

    def broken(context: Context, prepared: Prepared) -> Any:
        return prepared(context.records().selectExpr("raise_error('out of paper')")).format("noop").start()

    world.send(None)
    world.keep(broken)
    with pytest.raises(GivenUp, match=r"failed 5 times in a row, the last time with: .*out of paper"):
        world.until(lambda: False, "the end")


def test_a_page_of_java_is_said_in_short() -> None:
    page = """An error occurred while calling o89.sql.
: java.lang.RuntimeException: Failed to get table
	at org.apache.Spark.run(Spark.scala)
Caused by: java.io.IOException: closed
	at x
Caused by: org.apache.thrift.TTransportException: Connection refused
	at y
"""
    assert in_short(page) == (
        ": java.lang.RuntimeException: Failed to get table … org.apache.thrift.TTransportException: Connection refused"
    )
    assert in_short("the store is away") == "the store is away"
    assert in_short("") == "no reason was given"
