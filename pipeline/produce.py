"""Orders into the topic, at a rate: what a shop's checkout would do. `python -m pipeline.produce --rate 100`."""

import argparse
import itertools
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from confluent_kafka import Producer

from pipeline import settings, topics
from pipeline.orders import Encoder, OrderRecord, make
from pipeline.registry import Registry, RegistryUnavailable
from pipeline.schemas import ORDER_VERSIONS, ORDERS, ORDERS_SUBJECT
from pipeline.topics import KafkaUnavailable

# Seconds: short enough for an even rate, long enough to cost nothing.
TICK = 0.02

_PATIENCE = 60.0  # seconds for the broker to take what is left at the end


class Counts:
    """What was made, and what became of it."""

    def __init__(self) -> None:
        self.made, self.delivered, self.lost, self.late = 0, 0, 0, 0
        self.flaws: Counter[str] = Counter()
        self.error = ""

    def sent(self, order: OrderRecord) -> None:
        self.made += 1
        self.late += order.late
        if order.flaw:
            self.flaws[order.flaw.value] += 1

    def delivery_report(self, error: Any, _: Any) -> None:
        if error is None:
            self.delivered += 1
        else:
            self.lost += 1
            self.error = str(error)

    def __str__(self) -> str:
        flaws = "".join(f", {count:,} with {flaw}" for flaw, count in sorted(self.flaws.items()))
        lost = f", {self.lost:,} NOT DELIVERED ({self.error})" if self.lost else ""
        return f"{self.delivered:,} orders delivered: {self.late:,} late{flaws}{lost}"


def due(rate: float, clock: Callable[[], float], pause: Callable[[float], None]) -> Iterator[int]:
    """How many orders to make now, again and again, so that there are `rate` per second. Never more than a second's
    worth at once: a machine that paused must not make a flood."""
    start, made = clock(), 0.0
    while True:
        behind = (clock() - start) * rate - made
        if behind > rate > 1:
            made += behind - rate
            behind = rate
        now = int(behind)
        made += now
        yield now
        pause(TICK)


def produce(
    kafka: str, orders: Iterator[OrderRecord], rate: float, ends: Callable[[int], bool], every: float
) -> Counts:
    """Until `ends` says so; when it returns, everything is delivered or counted as lost."""
    producer = Producer(
        {
            "bootstrap.servers": kafka,
            "enable.idempotence": True,
            "linger.ms": 20,
            "compression.type": "lz4",
            "message.timeout.ms": 120_000,
            "log_level": 3,
        }
    )
    counts, reported_at, last = Counts(), time.monotonic(), 0
    for count in due(rate, time.monotonic, time.sleep):
        for order in itertools.islice(orders, count):
            while True:
                try:
                    producer.produce(ORDERS, order.value, order.key, on_delivery=counts.delivery_report)
                    break
                except BufferError:  # the broker is slower than we are
                    producer.poll(0.1)
            counts.sent(order)
            if ends(counts.made):
                break
        producer.poll(0)
        if time.monotonic() - reported_at >= every:
            seconds = time.monotonic() - reported_at
            print(f"{(counts.made - last) / seconds:,.0f} orders/s; {counts}", flush=True)
            reported_at, last = time.monotonic(), counts.made
        if ends(counts.made):
            break
    counts.lost += producer.flush(_PATIENCE)
    return counts


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="pipeline.produce", description=__doc__)
    parser.add_argument("--rate", type=float, default=100, help="orders a second (100)")
    parser.add_argument("--count", type=int, help="stop after this many orders")
    parser.add_argument("--seconds", type=float, help="stop after this many seconds")
    parser.add_argument("--malformed", type=float, default=0, metavar="SHARE", help="share of malformed orders (0)")
    parser.add_argument("--late", type=float, default=0, metavar="SHARE", help="share of orders an hour late (0)")
    parser.add_argument("--schema", type=int, choices=sorted(ORDER_VERSIONS), default=1, help="version to write (1)")
    parser.add_argument("--partitions", type=int, default=2, help="of the topic, if it has to be created (2)")
    parser.add_argument("--every", type=float, default=10, metavar="SECONDS", help="between lines of progress (10)")
    options, places = settings.read(parser, arguments)
    stopped = False

    def stop(*_: Any) -> None:
        nonlocal stopped
        stopped = True

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    try:
        topics.ensure(places.kafka, [ORDERS], options.partitions)
        schema_id = Registry(places.registry).register(ORDERS_SUBJECT, ORDER_VERSIONS[options.schema])
    except (RegistryUnavailable, KafkaUnavailable) as e:
        print(f"{e}. Is the lab up (`headwater lab status`)?", file=sys.stderr)
        return 1
    orders = make(
        Encoder(options.schema, schema_id), random.Random(), lambda: time.time_ns() // 1_000_000,  # noqa: S311
        options.malformed, options.late,
    )  # fmt: skip
    end = time.monotonic() + options.seconds if options.seconds else None

    def ends(made: int) -> bool:
        enough = options.count is not None and made >= options.count
        return stopped or enough or (end is not None and time.monotonic() >= end)

    print(f"orders in version {options.schema} (schema id {schema_id}) to {ORDERS} at {places.kafka}", flush=True)
    counts = produce(places.kafka, orders, options.rate, ends, options.every)
    print(counts, flush=True)
    return 1 if counts.lost else 0


if __name__ == "__main__":
    sys.exit(main())
