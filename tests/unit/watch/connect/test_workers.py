"""Which workers count as dead, by what happens at their addresses."""

import asyncio

from headwater.connect.rest import ConnectRestError
from headwater.watch.connect.workers import REFUSED, SILENT, Workers

REFUSING, UNREACHABLE, SLOW = (
    ConnectRestError("refused", refused=True),
    ConnectRestError("no route", unreachable=True),
    ConnectRestError("500"),
)


class Addresses:
    """What is at each address: None answers."""

    def __init__(self, **there: ConnectRestError | None) -> None:
        self.there = there
        self.workers: set[str] = set()
        self.now = 0.0

    async def probe(self, worker: str) -> None:
        failure = self.there[worker]
        if failure is not None:
            raise failure
        self.workers.add(worker)


def lost_after_probe(at: Addresses, workers: Workers, seconds: float = 0.0) -> frozenset[str]:
    at.now += seconds
    asyncio.run(workers.probe(at.there))
    return workers.lost


def watched(**there: ConnectRestError | None) -> tuple[Addresses, Workers]:
    at = Addresses(**there)
    return at, Workers(at, clock=lambda: at.now)


def test_where_nobody_listens_any_more() -> None:
    at, workers = watched(a=None, b=None)
    assert lost_after_probe(at, workers) == set()
    at.there["a"] = REFUSING
    assert lost_after_probe(at, workers, 2) == set()
    assert workers.in_doubt()
    assert lost_after_probe(at, workers, REFUSED) == {"a"}
    assert not workers.in_doubt()
    at.there["a"] = None
    assert lost_after_probe(at, workers, 2) == set()


def test_where_nobody_ever_listened() -> None:
    at, workers = watched(a=REFUSING, b=None)
    assert lost_after_probe(at, workers) == lost_after_probe(at, workers, 100) == set()


def test_a_worker_known_from_before() -> None:
    at = Addresses(a=REFUSING)
    workers = Workers(at, ["a"], lambda: at.now)
    lost_after_probe(at, workers)
    assert lost_after_probe(at, workers, REFUSED) == {"a"}


def test_a_worker_that_answers_nonsense_is_there() -> None:
    at, workers = watched(a=None)
    lost_after_probe(at, workers)
    at.there["a"] = REFUSING
    lost_after_probe(at, workers, 2)
    at.there["a"] = SLOW
    assert lost_after_probe(at, workers, 100) == set()
    assert not workers.in_doubt()


def test_a_machine_that_is_gone_while_others_answer() -> None:
    at, workers = watched(a=None, b=None)
    lost_after_probe(at, workers)
    at.there["a"] = UNREACHABLE
    assert lost_after_probe(at, workers, 2) == set()
    assert lost_after_probe(at, workers, SILENT - 1) == set()
    assert lost_after_probe(at, workers, 1) == {"a"}


def test_when_nothing_can_be_reached_it_may_be_us() -> None:
    at, workers = watched(a=None, b=None)
    lost_after_probe(at, workers)
    at.there.update(a=UNREACHABLE, b=UNREACHABLE)
    lost_after_probe(at, workers, 2)
    assert lost_after_probe(at, workers, 1000) == set()


def test_a_dead_machine_stays_dead_when_we_are_cut_off() -> None:
    at, workers = watched(a=None, b=None)
    lost_after_probe(at, workers)
    at.there["a"] = UNREACHABLE
    lost_after_probe(at, workers, 2)
    assert lost_after_probe(at, workers, SILENT) == {"a"}
    at.there["b"] = UNREACHABLE
    assert lost_after_probe(at, workers, 2) == {"a"}


def test_dead_workers_that_nobody_names_are_forgotten() -> None:
    at, workers = watched(a=None)
    lost_after_probe(at, workers)
    at.there["a"] = REFUSING
    lost_after_probe(at, workers, 2)
    lost_after_probe(at, workers, REFUSED)
    workers.forget([])
    assert workers.known == []
    del at.there["a"]
    assert lost_after_probe(at, workers, 1) == set()
