"""`kill -9` under load: what was acknowledged is there, once, and the state is that of the log."""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from uuid import uuid4

import httpx

from tests.integration.samples import KAFKA, LAKE, Event, run_event
from tests.support.server import BATCH, EVENT, Server, differences, rebuild, wait_for

_POSTERS = 4
_RUNS_PER_JOB = 5
_EVENTS_PER_RUN = 3
_LONG = 120.0  # a slow machine may take its time

# How many events are acknowledged when the server is killed: at the very start, within the
# first writes of the tables, and after some.
_KILL_AFTER = (1, 40, 300, 900)


def key(event: Event) -> str:
    return f"{event['run']['runId']} {event['eventType']}"


class Load:
    """Clients that post without pause, each to one connection, until the server is gone."""

    def __init__(self, server: Server, round_number: int) -> None:
        self._url = server.url
        self._round = round_number
        self.sent: set[str] = set()
        self.acknowledged: set[str] = set()
        self.wrong: list[str] = []
        self._finished = threading.Event()
        self._threads = [threading.Thread(target=self._post, args=(number,)) for number in range(_POSTERS)]
        self._threads.append(threading.Thread(target=self._ask))

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for thread in self._threads:
            thread.join(60)
            assert not thread.is_alive()

    def finish(self) -> None:
        """Ends it before the server does."""
        self._finished.set()

    def _post(self, number: int) -> None:
        with httpx.Client(base_url=self._url, timeout=30, trust_env=False) as client:
            try:
                for events in self._requests(number):
                    if self._finished.is_set():
                        return
                    keys = {key(e) for e in events}
                    self.sent |= keys
                    single = len(events) == 1
                    body = json.dumps(events[0] if single else events)
                    answer = client.post(EVENT if single else BATCH, content=body)
                    if answer.status_code in (201, 204):
                        self.acknowledged |= keys
                    else:
                        self.wrong.append(f"{answer.status_code} {answer.text[:200]}")
            except httpx.TransportError:
                return  # killed

    def _requests(self, number: int) -> Iterator[list[Event]]:
        """Runs whose START comes late; every third request is a batch of two runs."""
        clock = 100_000 * number + 20_000 * self._round
        for count in range(1 << 20):
            clock += 10
            job = f"job_{self._round}_{number}_{count // _RUNS_PER_JOB}"
            events = [event for _ in range(1 + count % 3 // 2) for event in _late_start(clock, job)]
            if len(events) > _EVENTS_PER_RUN:
                yield events
            else:
                yield from ([event] for event in events)

    def _ask(self) -> None:
        """Somebody reads all the while, which also writes the tables again and again."""
        with httpx.Client(base_url=self._url, timeout=30, trust_env=False) as client:
            try:
                while not self._finished.is_set():
                    for path in ("/api/v1/events/lineage?limit=5", "/api/v1/jobs?limit=5", "/healthz"):
                        answer = client.get(path)
                        if answer.status_code != 200:
                            self.wrong.append(f"{path}: {answer.status_code} {answer.text[:200]}")
            except httpx.TransportError:
                return


def _late_start(clock: int, job: str) -> list[Event]:
    run = uuid4()
    steps = ((clock + 5, "RUNNING"), (clock, "START"), (clock + 9, "COMPLETE"))
    return [
        run_event(at, kind, job=job, run=run, source=(KAFKA, job), target=(LAKE, f"{job}_table")) for at, kind in steps
    ]


def equals_its_rebuild(server: Server) -> None:
    before = server.answers()
    server.stop()
    rebuild(server.data)
    assert not differences(before, server.start().answers())


def test_kill_in_the_middle_of_a_load(server: Server) -> None:
    sent: set[str] = set()
    acknowledged: set[str] = set()
    for number, enough in enumerate(_KILL_AFTER):
        with Load(server, number) as load:
            wait_for(lambda: len(load.acknowledged) >= enough or load.wrong, f"{enough} events", _LONG)  # noqa: B023
            server.kill()
        assert not load.wrong
        sent |= load.sent
        acknowledged |= load.acknowledged
        counts = Counter(map(key, server.start().events()))
        assert acknowledged <= set(counts) <= sent
        assert set(counts.values()) == {1}
    equals_its_rebuild(server)


def test_a_stop_in_the_middle_of_a_load(server: Server) -> None:
    with Load(server, 0) as load:
        wait_for(lambda: len(load.acknowledged) >= 600 or load.wrong, "600 events", _LONG)
        server.stop()
    assert not load.wrong
    counts = Counter(map(key, server.start().events()))
    assert load.acknowledged <= set(counts) <= load.sent
    assert set(counts.values()) == {1}
    equals_its_rebuild(server)


def test_reading_under_load_gives_the_state_of_the_log(server: Server) -> None:
    """The live state itself, without any restart, against a rebuild."""
    with Load(server, 0) as load:
        wait_for(lambda: len(load.acknowledged) >= 900 or load.wrong, "900 events", _LONG)
        load.finish()
    assert not load.wrong
    equals_its_rebuild(server)
