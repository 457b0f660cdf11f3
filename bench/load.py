"""The load generator, in its own process, so that its CPU time can be measured.

    python -m bench.load < task        says `ready` when it is connected, starts at the next
                                       line of its input, and prints its report as JSON

A closed loop: each connection sends its next request as soon as the last one is answered, or when
it is due if there is a rate. Callbacks instead of tasks, as every microsecond spent here is taken
from the server.
"""

import asyncio
import itertools
import sys
import time
from collections import Counter
from collections.abc import Iterator
from random import Random

import msgspec

from bench.events import Events, Load

EVENT_PATH, BATCH_PATH = "/api/v1/lineage", "/api/v1/lineage/batch"


class Task(msgspec.Struct, frozen=True):
    port: int
    connections: int
    # Without a time limit, each job of the load gets `runs` runs with one COMPLETE event, or each
    # path is queried once.
    seconds: float | None = None
    runs: int = 1
    warm_seconds: float = 1.0  # sent before, and not counted
    load: Load | None = None
    events_per_request: int = 1  # more than one go to the batch endpoint
    paths: list[str] = []  # to query in turn, if there is no load
    requests_per_second: float | None = None  # of all connections together; else as fast as possible
    seed: int = 1


class Report(msgspec.Struct, frozen=True):
    requests: int
    events: int
    seconds: float
    p50_ms: float
    p99_ms: float
    max_ms: float
    cpu_cores: float  # CPU time of the generator itself, per second
    answer_bytes: int
    statuses: dict[int, int]
    first_error: str = ""

    @property
    def per_second(self) -> float:
        """Events, or queries if there are no events."""
        return (self.events or self.requests) / self.seconds

    @property
    def failed(self) -> int:
        return sum(count for status, count in self.statuses.items() if status >= 300)


class Tally:
    def __init__(self) -> None:
        self.ended: float | None = None
        self.first_error = ""
        self.begin()

    def begin(self) -> None:
        """Drops everything that was counted during the warm-up."""
        self.latencies: list[float] = []
        self.statuses: Counter[int] = Counter()
        self.events = self.answer_bytes = 0
        self._began, self._cpu_before = time.perf_counter(), time.process_time()

    def end(self) -> None:
        if self.ended is None:
            self.ended, self._cpu_after = time.perf_counter(), time.process_time()

    def note(self, latency: float, status: int, events: int, body: bytes) -> None:
        if self.ended is not None:
            return
        self.latencies.append(latency)
        self.statuses[status] += 1
        self.events += events
        self.answer_bytes = len(body)
        if status >= 300 and not self.first_error:
            self.first_error = f"{status}: {body[:200].decode(errors='replace')}"

    def report(self) -> Report:
        self.end()
        assert self.ended is not None
        seconds = self.ended - self._began
        ordered = sorted(self.latencies) or [0.0]
        return Report(
            requests=len(self.latencies),
            events=self.events,
            seconds=seconds,
            p50_ms=ordered[len(ordered) // 2] * 1000,
            p99_ms=ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))] * 1000,
            max_ms=ordered[-1] * 1000,
            cpu_cores=(self._cpu_after - self._cpu_before) / seconds,
            answer_bytes=self.answer_bytes,
            statuses=dict(self.statuses),
            first_error=self.first_error,
        )


Request = tuple[bytes, int]
"""Its bytes, and the number of events in it."""


def requests(task: Task) -> list[Iterator[Request]]:
    """One stream for each connection. A run's START and COMPLETE go through the same one, so
    that they arrive in order."""
    if task.load is None:
        paths = iter(task.paths) if task.seconds is None else itertools.cycle(task.paths)
        queries: Iterator[Request] = ((_head("GET", path), 0) for path in paths)
        return [queries] * task.connections
    random = Random(task.seed)
    jobs = range(task.load.jobs)
    once = task.seconds is None
    each = itertools.chain.from_iterable(itertools.repeat(jobs, task.runs))
    order = each if once else iter(lambda: random.choice(jobs), None)
    events = Events(task.load, task.seed)
    return [_posts(task, events, order, with_start=not once) for _ in range(task.connections)]


def _posts(task: Task, events: Events, order: Iterator[int], *, with_start: bool) -> Iterator[Request]:
    stream = (event for i in order for event in events.run(i, with_start=with_start))
    if task.events_per_request == 1:
        for event in stream:
            yield _head("POST", EVENT_PATH, event), 1
        return
    while batch := list(itertools.islice(stream, task.events_per_request)):
        yield _head("POST", BATCH_PATH, b"[" + b",".join(batch) + b"]"), len(batch)


def _head(method: str, path: str, body: bytes = b"") -> bytes:
    lines = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    if method == "POST":
        lines += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return lines.encode() + b"\r\n" + body


class Connection(asyncio.Protocol):
    """One keep-alive connection, with as much of HTTP/1.1 as these servers use."""

    def __init__(self, stream: Iterator[Request], tally: Tally, every_seconds: float) -> None:
        self._stream, self._tally = stream, tally
        self._every, self._due = every_seconds, 0.0
        self._transport: asyncio.Transport | None = None
        self._received = bytearray()
        self._status = self._body_at = self._whole = 0
        self._sent, self._events = 0.0, 0
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def send_next(self) -> None:
        assert self._transport is not None
        request = next(self._stream, None) if self._tally.ended is None else None
        if request is None:
            self.done.set_result(None)
            self._transport.close()
            return
        text, self._events = request
        self._sent = time.perf_counter()
        self._transport.write(text)

    def data_received(self, data: bytes) -> None:
        self._received += data
        if not self._whole and not self._read_head():
            return
        if len(self._received) < self._whole:
            return
        latency = time.perf_counter() - self._sent
        self._tally.note(latency, self._status, self._events, bytes(self._received[self._body_at :]))
        self._received.clear()
        self._whole = 0
        if not self._every:
            self.send_next()
            return
        loop = asyncio.get_running_loop()
        self._due = max(self._due + self._every, loop.time())
        loop.call_at(self._due, self.send_next)

    def _read_head(self) -> bool:
        end = self._received.find(b"\r\n\r\n")
        if end < 0:
            return False
        lines = bytes(self._received[:end]).lower().split(b"\r\n")
        self._status = int(lines[0].split(b" ")[1])
        lengths = [int(line[15:]) for line in lines if line.startswith(b"content-length:")]
        if not lengths and self._status != 204:
            raise ValueError(f"an answer without Content-Length: {lines}")
        self._body_at = end + 4
        self._whole = self._body_at + (lengths[0] if lengths else 0)
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(exc or ConnectionError("the server closed the connection"))


async def work(task: Task) -> Report:
    loop = asyncio.get_running_loop()
    tally = Tally()
    connections = []
    every = task.connections / task.requests_per_second if task.requests_per_second else 0.0
    for stream in requests(task):
        connection = Connection(stream, tally, every)
        await loop.create_connection(lambda c=connection: c, "127.0.0.1", task.port)  # type: ignore[misc]
        connections.append(connection)
    print("ready", flush=True)
    sys.stdin.readline()
    tally.begin()
    if task.seconds is not None:
        loop.call_later(task.warm_seconds, tally.begin)
        loop.call_later(task.warm_seconds + task.seconds, tally.end)
    for connection in connections:
        connection.send_next()
    await asyncio.gather(*(connection.done for connection in connections))
    return tally.report()


if __name__ == "__main__":
    decoded = msgspec.json.decode(sys.stdin.readline(), type=Task)
    print(msgspec.json.encode(asyncio.run(work(decoded))).decode(), flush=True)
