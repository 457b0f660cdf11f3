"""Recent updates, and their subscribers.

There is one ring of recent updates and each subscriber has a place in it, so a slow subscriber
costs no memory and holds up nobody: when the ring has moved on without it, it gets a `resync` and
has to query again. Coming back after a lost connection is the same as having been slow.

Recording updates adds a twentieth to the cost of folding an event, so it begins with the first subscriber.
"""

import asyncio
import time
from bisect import bisect_right
from collections.abc import AsyncIterator, Callable
from types import TracebackType

from headwater.ids import Position
from headwater.live.update_filter import UpdateFilter
from headwater.live.update_json import EncodedUpdate, encode_frame, encode_update
from headwater.live.updates import Update, UpdateRecorder
from headwater.model.state import State
from headwater.shapes.live import LiveHello, LiveResync

# The ring has room for ten seconds at 2,000 events a second, hours at the rate of most places. An
# ordinary update takes half a kilobyte, 10 MB in all. Events that name very many datasets are bounded
# by the number of their nodes (8 bytes each, and the ids of new ones).
RING_EVENTS, RING_NODES = 20_000, 500_000
_TRIMMED_AT_ONCE = 1000

# The JSON of updates is made once for all subscribers and cached up to this size; older ones are made
# again for the few who come back late.
_CACHED_BYTES = 16 << 20

# Subscribers are woken at most this often, all together: with hundreds of them each piece sent
# costs more than what is in it. After a quiet moment an update goes out at once.
BEAT_SECONDS = 0.05

# Pieces that one subscriber gets at a time; then others have their turn.
_PIECE_EVENTS, _PIECE_BYTES = 200, 256 << 10

# Proxies close connections on which nothing moves, often after 30 or 60 s.
KEEP_ALIVE_SECONDS = 15.0

# What browsers wait before they connect again.
_RETRY = b"retry: 2000\n\n"
_KEEP_ALIVE = b": still here\n\n"


class Hub:
    def __init__(self, state: State) -> None:
        self._state = state
        self.updates: UpdateRecorder | None = None  # None: there was no subscriber yet
        self._ring: list[Update] = []
        self._weight = 0
        self._before = state.position  # everything after this is in the ring
        self.last = state.position
        self._encoded: dict[Position, EncodedUpdate] = {}
        self._encoded_bytes = 0
        self._piece: tuple[Position, Position, Position, bytes] | None = None
        self._waiting: set[asyncio.Future[bool]] = set()
        self._beat: asyncio.TimerHandle | None = None
        self._last_beat = 0.0
        self.subscribers: set[Subscription] = set()
        self.resyncs = 0
        self.closed = False

    # In

    def publish(self) -> None:
        """To be called when events are in the log and in the state."""
        if self.updates is None:
            return
        updates = self.updates.take()
        if updates and updates[0].position <= self.last:
            # A group whose folding failed half-way is folded once more from its beginning.
            updates = [update for update in updates if update.position > self.last]
        if updates is None:  # they do not show all that changed
            self._clear()
        elif updates:
            self._ring += updates
            self._weight += sum([update.weight for update in updates])
            self.last = updates[-1].position
            self._trim()
        if self._waiting and self._beat is None:
            due = max(0.0, self._last_beat + BEAT_SECONDS - time.monotonic())
            self._beat = asyncio.get_running_loop().call_later(due, self._wake)

    def _trim(self) -> None:
        surplus = max(0, len(self._ring) - RING_EVENTS)
        if surplus < _TRIMMED_AT_ONCE and self._weight <= RING_NODES:
            return
        weight = self._weight - sum([update.weight for update in self._ring[:surplus]])
        while weight > RING_NODES:
            weight -= self._ring[surplus].weight
            surplus += 1
        self._weight = weight
        self._before = self._ring[surplus - 1].position
        del self._ring[:surplus]

    def _clear(self) -> None:
        self._ring.clear()
        self._weight = 0
        self._before = self.last = self._state.position

    def _wake(self) -> None:
        self._beat = None
        self._last_beat = time.monotonic()
        for waiting in self._waiting:
            _resolve(waiting, True)
        self._waiting.clear()

    async def close(self, patience: float) -> bool:
        """Ends all subscriptions. False if some do not read what was sent to them before."""
        self.closed = True
        self._wake()
        end = time.monotonic() + patience
        while self.subscribers and time.monotonic() < end:
            await asyncio.sleep(0.01)
        stuck = list(self.subscribers)
        for subscription in stuck:
            subscription.abort()
        return not stuck

    # Out

    def subscribe(self, after: Position | None = None, update_filter: UpdateFilter | None = None) -> "Subscription":
        """From the present position on, or after one that the subscriber has reached."""
        if self.updates is None:
            self.updates = UpdateRecorder(self._state)
            self._clear()
        return Subscription(self, after, update_filter or UpdateFilter())

    def has_all_after(self, position: Position) -> bool:
        """Whether the ring has every update after that position."""
        return self._before <= position <= self.last

    def updates_after(self, position: Position) -> list[Update]:
        """The next ones, not too many."""
        start = bisect_right(self._ring, position, key=lambda update: update.position)
        return self._ring[start : start + _PIECE_EVENTS]

    def piece_after(self, position: Position) -> tuple[Position, bytes]:
        """The next updates for a subscriber without a filter, and how far they go. Those who
        are at the same place, as nearly all are, get the same bytes."""
        if self._piece is None or self._piece[:2] != (position, self.last):
            frames: list[bytes] = []
            end, size = position, 0
            for update in self.updates_after(position):
                frames.append(self.encoded(update).frame)
                end, size = update.position, size + len(frames[-1])
                if size >= _PIECE_BYTES:
                    break
            self._piece = (position, self.last, end, b"".join(frames))
        return self._piece[2], self._piece[3]

    def encoded(self, update: Update) -> EncodedUpdate:
        encoded = self._encoded.get(update.position)
        if encoded is None:
            encoded = self._encoded[update.position] = encode_update(self._state, update)
            self._encoded_bytes += len(encoded.frame)
            while self._encoded_bytes > _CACHED_BYTES and len(self._encoded) > 1:
                self._encoded_bytes -= len(self._encoded.pop(next(iter(self._encoded))).frame)
        return encoded

    async def changed(self, patience: float) -> bool:
        """Waits for an update. False if there was none for that long."""
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[bool] = loop.create_future()
        timer = loop.call_later(patience, _resolve, waiting, False)
        self._waiting.add(waiting)
        try:
            return await waiting
        finally:
            timer.cancel()
            self._waiting.discard(waiting)


def _resolve(waiting: "asyncio.Future[bool]", changed: bool) -> None:
    if not waiting.done():
        waiting.set_result(changed)


class Subscription:
    """A place in the ring. To be used with `with`."""

    def __init__(self, hub: Hub, after: Position | None, update_filter: UpdateFilter) -> None:
        self._hub, self._filter = hub, update_filter
        self._is_new = after is None
        self._position = hub.last if after is None else after
        self._last_id = self._position  # the last one that the subscriber got
        self.abort: Callable[[], object] = lambda: None  # ends the sending to it, come what may

    def __enter__(self) -> "Subscription":
        self._hub.subscribers.add(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._hub.subscribers.discard(self)

    async def pieces(self, keep_alive: float = KEEP_ALIVE_SECONDS) -> AsyncIterator[bytes]:
        """The stream, until the hub is closed."""
        yield self.begin()
        while not self._hub.closed:
            if self._position == self._hub.last:
                if not await self._hub.changed(keep_alive):
                    yield self._keep_alive()
                continue
            piece = self.take()
            if piece:
                yield piece
            await asyncio.sleep(0)

    def begin(self) -> bytes:
        if not self._is_new:
            return _RETRY
        return _RETRY + encode_frame("hello", self._position, LiveHello(self._position))

    def take(self) -> bytes:
        """The next piece; empty if there is no update, or none that the filter lets through."""
        hub = self._hub
        if not hub.has_all_after(self._position):
            return self._resync()
        if self._filter.everything:
            self._position, piece = hub.piece_after(self._position)
            self._last_id = self._position
            return piece
        frames: list[bytes] = []
        for update in hub.updates_after(self._position):
            encoded = hub.encoded(update)
            self._position = update.position
            if self._filter.matches(encoded, update.graph):
                frames.append(encoded.frame)
                self._last_id = update.position
        return b"".join(frames)

    def _resync(self) -> bytes:
        hub = self._hub
        hub.resyncs += 1
        reason = (
            f"position {self._position} does not exist here; the last one is {hub.last}"
            if self._position > hub.last
            else f"updates after position {self._position} are no longer available"
        )
        self._position = self._last_id = hub.last
        return encode_frame("resync", hub.last, LiveResync(hub.last, reason))

    def _keep_alive(self) -> bytes:
        """With the position up to which the filter let nothing through, so that a subscriber who
        gets few updates can come back to it."""
        if self._last_id == self._position:
            return _KEEP_ALIVE
        self._last_id = self._position
        return b"id: %d\n%b" % (self._last_id, _KEEP_ALIVE)
