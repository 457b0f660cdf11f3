"""Which workers are dead. Connect itself goes on calling the tasks of a dead worker RUNNING, for minutes."""

import asyncio
import time
from collections.abc import Callable, Iterable

from headwater.watch.rest import Connect, Trouble

# So long must nobody listen at a worker's own address: a machine may be slow to say so once, by mistake, but a
# process that listens again after this is another one, and its tasks have started anew.
SURE = 1.0
_TIMEOUT = 2.0


class Workers:
    """A worker that answered under its own address, and where now nobody listens any more, is gone. A worker that
    is slow, cannot be reached or never could is not: nothing is known of it."""

    def __init__(
        self, connect: Connect, known: Iterable[str] = (), clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._connect, self._clock = connect, clock
        connect.workers |= set(known)
        self._refused: dict[str, float] = {}
        self.lost: frozenset[str] = frozenset()

    @property
    def in_doubt(self) -> bool:
        """Whether another look soon would tell more."""
        return any(worker not in self.lost for worker in self._refused)

    @property
    def known(self) -> list[str]:
        return sorted(self._connect.workers)

    async def look(self, workers: Iterable[str]) -> None:
        await asyncio.gather(*(self._look(worker) for worker in {*workers, *self._refused}))
        now = self._clock()
        self.lost = frozenset(worker for worker, since in self._refused.items() if now - since >= SURE)

    async def _look(self, worker: str) -> None:
        try:
            async with asyncio.timeout(_TIMEOUT):
                await self._connect.probe(worker)
        except Trouble as e:
            if e.refused and worker in self._connect.workers:
                self._refused.setdefault(worker, self._clock())
                return
            if e.refused or worker not in self._refused:
                return
        except TimeoutError:
            return
        self._refused.pop(worker, None)

    def forget(self, still_named: Iterable[str]) -> None:
        """Dead workers that no status names any more."""
        for worker in set(self._refused) - set(still_named):
            del self._refused[worker]
            self._connect.workers.discard(worker)
