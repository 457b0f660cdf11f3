"""Which workers are dead. Connect itself goes on calling the tasks of a dead worker RUNNING, for minutes."""

import asyncio
import time
from collections.abc import Callable, Iterable
from typing import Protocol

from headwater.connect.rest import ConnectRestError

# For so long nothing listens at a worker's own address: a process that listens again after this is another one, and
# its tasks have started again.
REFUSED = 1.0
# A machine or container that is gone does not answer at all. A process that hangs still takes connections, so after
# this time it is the machine or the network; Connect itself gives a worker 10 s.
SILENT = 15.0
_TIMEOUT = 2.0


class Prober(Protocol):
    """Connect, as far as it is needed here."""

    workers: set[str]

    async def probe(self, worker: str) -> None: ...


class Workers:
    """A worker is lost when it once answered under its own address and nothing listens there any more, or when it
    cannot be connected to for a while, though others can. One that is slow, or was never reached, is not lost: nothing
    is known of it."""

    def __init__(self, connect: Prober, known: Iterable[str] = (), clock: Callable[[], float] = time.monotonic) -> None:
        self._connect, self._clock = connect, clock
        connect.workers |= set(known)
        self._refused: dict[str, float] = {}
        self._silent: dict[str, float] = {}
        self.lost: frozenset[str] = frozenset()

    def in_doubt(self) -> bool:
        """Whether another probe soon would say more."""
        return any(worker not in self.lost for worker in self._refused)

    @property
    def known(self) -> list[str]:
        return sorted(self._connect.workers)

    async def probe(self, workers: Iterable[str]) -> None:
        answered = await asyncio.gather(*(self._probe(w) for w in {*workers, *self._refused, *self._silent}))
        now = self._clock()
        lost = {worker for worker, since in self._refused.items() if now - since >= REFUSED}
        if any(answered):  # else it may be our own network
            lost |= {worker for worker, since in self._silent.items() if now - since >= SILENT}
        else:
            lost |= {worker for worker in self._silent if worker in self.lost}
        self.lost = frozenset(lost)

    async def _probe(self, worker: str) -> bool:
        """Whether it answered."""
        refused, silent = False, True
        try:
            async with asyncio.timeout(_TIMEOUT):
                await self._connect.probe(worker)
        except ConnectRestError as e:
            refused, silent = e.refused, e.unreachable
        except TimeoutError:
            # Perhaps only slow; but if there was no connection before, a timeout does not prove one.
            silent = worker in self._silent or worker in self._refused
        else:
            silent = False
            self._refused.pop(worker, None)
            self._silent.pop(worker, None)
            return True
        if worker not in self._connect.workers:
            return False
        for reason, holds in ((self._refused, refused), (self._silent, silent and not refused)):
            if holds:
                reason.setdefault(worker, self._clock())
            else:
                reason.pop(worker, None)
        return False

    def forget(self, still_named: Iterable[str]) -> None:
        """Drops dead workers that no status names any more."""
        for worker in {*self._refused, *self._silent} - set(still_named):
            self._refused.pop(worker, None)
            self._silent.pop(worker, None)
            self._connect.workers.discard(worker)
