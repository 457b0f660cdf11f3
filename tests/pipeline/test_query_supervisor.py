"""Queries keep running: with schemas that are registered meanwhile, without unknown ones, and after failures."""

import json
import random
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline import records, topics
from pipeline.jobs import Context, Job, Prepared
from pipeline.orders import Encoder, make_order
from pipeline.query_supervisor import GivenUp, QuerySupervisor, SupervisedQuery, in_short
from pipeline.registry import Registry
from pipeline.schema_catalog import REJECTED_FILE, RejectedFile, SchemaCatalog
from pipeline.schemas import ORDER_VERSIONS, ORDERS_SUBJECT, header
from pipeline.settings import Settings
from tests.pipeline import kafka, truth
from tests.pipeline.services import Services
from tests.support.server import wait_for

PATIENCE = 120.0


class Supervised:
    """A query over a topic of its own, supervised in this process."""

    def __init__(self, spark: Any, places: Settings, folder: Path, topic: str) -> None:
        self.places, self.topic, self.folder = places, topic, folder
        self.logged: list[str] = []
        self.rows: list[tuple[str, str]] = []  # order id and reason
        self.starts = 0
        self.catalog = SchemaCatalog(Registry(places.registry), RejectedFile(spark, folder.as_uri()))
        self._context = lambda schemas: Context(spark, places, schemas, 0, 1000, topic)
        self._max_failures = 5
        self.supervise(self.start)

    def supervise(self, start: Callable[[Context, Prepared], Any]) -> None:
        self.query = SupervisedQuery(Job(f"test-{self.topic}", start, every=0.1), 0.1)
        self.supervisor = QuerySupervisor(
            [self.query], self.catalog, self._context, self._max_failures, self.logged.append
        )

    def start(self, context: Context, prepared: Prepared) -> Any:
        self.starts += 1
        decoded = context.decoded().selectExpr("order.order_id", "reason")
        query = prepared(decoded).option("checkpointLocation", (self.folder / "checkpoint").as_uri())
        return query.foreachBatch(lambda batch, _: self.rows.extend((r[0], r[1]) for r in batch.collect())).start()

    def until(self, condition: Callable[[], Any], what: str) -> None:
        def checked() -> Any:
            self.supervisor.check()
            return condition()

        wait_for(checked, f"{what}; it logged {self.logged}", PATIENCE)

    def send(self, *values: bytes | None) -> None:
        kafka.send(self.places, self.topic, values)

    def ids(self) -> set[str]:
        return {order_id for order_id, reason in self.rows if reason is None}


@pytest.fixture
def supervised(
    spark: Any, places: Settings, services: Services, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Supervised]:
    topic = f"supervised-{abs(hash(request.node.name))}"
    topics.ensure(places.kafka, [topic], 2)
    supervised = Supervised(spark, places, tmp_path, topic)
    yield supervised
    supervised.supervisor.stop()


def order(version: int, schema_id: int, seed: int) -> tuple[str, bytes]:
    made = make_order(random.Random(seed), 1_800_000_000_000)
    return made.order_id, Encoder(version, schema_id).encode(made)


def first_order(supervised: Supervised) -> str:
    order_id, value = order(1, next(iter(supervised.catalog.current.schemas)), 1)
    supervised.send(value)
    supervised.until(lambda: order_id in supervised.ids(), "the first order")
    return order_id


def test_a_version_that_turns_up_in_a_record_is_looked_up_and_read(supervised: Supervised) -> None:
    first = first_order(supervised)
    new_id = kafka.register(supervised.places, ORDERS_SUBJECT, truth.evolved("turned_up"))
    second, value = order(2, new_id, 2)
    supervised.send(value + b"\0")  # with the new field, an empty text
    supervised.until(lambda: second in supervised.ids(), "the order of the new version")
    assert supervised.starts == 2
    assert supervised.ids() == {first, second}
    assert new_id in supervised.catalog.current.schemas


def test_a_version_that_is_registered_restarts_the_query_before_anything_fails(supervised: Supervised) -> None:
    first_order(supervised)
    kafka.register(supervised.places, ORDERS_SUBJECT, ORDER_VERSIONS[2])
    stopped = threading.Event()
    watching = supervised.catalog.watch(0.05, stopped, supervised.logged.append)
    try:
        new_id = kafka.register(supervised.places, ORDERS_SUBJECT, truth.evolved("renewed"))
        supervised.until(
            lambda: new_id in (supervised.query.schemas or supervised.catalog.current).schemas, "the restart"
        )
    finally:
        stopped.set()
        watching.join()
    old, value = order(2, new_id, 3)
    supervised.send(value + b"\0")  # the new field, empty
    supervised.until(lambda: old in supervised.ids(), "the order of the new version")
    assert [line for line in supervised.logged if "the registry now has" in line] == supervised.logged


def test_unknown_ids_are_rejected_all_at_once_and_remembered(spark: Any, supervised: Supervised) -> None:
    first_order(supervised)
    starts = supervised.starts
    rubbish = [header(900_000 + number) + b"?" for number in range(50)]
    supervised.send(*rubbish)
    supervised.until(lambda: len(supervised.rows) == 51, "the dead letters")
    # A batch for each partition at the worst, as the records do not come in one.
    assert supervised.starts - starts <= 2
    assert {reason for _, reason in supervised.rows if reason} == {
        f"unknown schema id {900_000 + n}" for n in range(50)
    }
    assert len(json.loads((supervised.folder / REJECTED_FILE).read_text())) == 50
    again = SchemaCatalog(Registry(supervised.places.registry), RejectedFile(spark, supervised.folder.as_uri()))
    assert again.current.rejected == supervised.catalog.current.rejected


def test_an_id_that_was_rejected_is_taken_when_it_is_registered_after_all(supervised: Supervised) -> None:
    new_id = kafka.register(supervised.places, ORDERS_SUBJECT, truth.evolved("rejected_first"))
    supervised.catalog.current = records.KnownSchemas(
        {n: s for n, s in supervised.catalog.current.schemas.items() if n != new_id}, frozenset({new_id})
    )
    assert supervised.catalog.refresh()
    assert new_id in supervised.catalog.current.schemas
    assert new_id not in supervised.catalog.current.rejected


def test_a_query_that_fails_is_started_again_and_goes_on_where_it_was(supervised: Supervised) -> None:
    first_order(supervised)
    breaks = [True]
    start = supervised.start

    def fragile(context: Context, prepared: Prepared) -> Any:
        if breaks.pop() if breaks else False:
            raise OSError("the store is away")
        return start(context, prepared)

    supervised.supervisor.stop()
    supervised.supervise(fragile)
    second, value = order(1, next(iter(supervised.catalog.current.schemas)), 4)
    supervised.send(value)
    supervised.until(lambda: second in supervised.ids(), "the second order")
    assert len(supervised.rows) == 2
    assert [line for line in supervised.logged if "the store is away" in line and "restart in 1 s" in line]


def test_a_query_that_always_fails_is_given_up_with_its_last_error(supervised: Supervised, monkeypatch: Any) -> None:
    monkeypatch.setattr("pipeline.query_supervisor.FIRST_PAUSE", 0.01)

    def broken(context: Context, prepared: Prepared) -> Any:
        return prepared(context.records().selectExpr("raise_error('out of paper')")).format("noop").start()

    supervised.send(None)
    supervised.supervise(broken)
    with pytest.raises(GivenUp, match=r"failed 5 times in a row, the last time with: .*out of paper"):
        supervised.until(lambda: False, "the end")


def test_a_page_of_java_is_shortened() -> None:
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
