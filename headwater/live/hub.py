"""Recent changes, and those who listen to them.

There is one ring of recent changes and each subscriber has a place in it, so a slow subscriber
costs no memory and holds up nobody: when the ring has gone on without it, it is told to ask
again (`resync`). Coming back after a lost connection is the same as having been slow.

Noting what an event changed costs one part in twenty of folding it, so that begins when somebody
listens for the first time.
"""

import asyncio
import time
from bisect import bisect_right
from collections.abc import AsyncIterator, Callable
from types import TracebackType

from headwater.ids import Position
from headwater.live.subscription import Wanted
from headwater.live.update_json import Message, frame, message
from headwater.live.updates import News, Note
from headwater.model.state import State
from headwater.shapes.live import LiveHello, LiveResync

# So many changes are kept for those who come back: ten seconds at 2,000 events a second, hours
# at the rate of most places. An ordinary one takes half a kilobyte, 10 MB in all. Events that
# name very many datasets count by these: so many names (8 bytes each, and the ids of new ones).
RING_EVENTS, RING_NODES = 20_000, 500_000
_TRIMMED_AT_ONCE = 1000

# The JSON of changes, made once for all, is kept up to this size; older ones are made again for
# the few who come back late.
_KEPT_BYTES = 16 << 20

# Subscribers are woken at most this often, all together: with hundreds of them each piece sent
# costs more than what is in it. After a quiet moment a change goes out at once.
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
        self.news: News | None = None  # None: nobody has ever listened
        self._ring: list[Note] = []
        self._weight = 0
        self._before = state.position  # everything after this is in the ring
        self.last = state.position
        self._messages: dict[Position, Message] = {}
        self._bytes = 0
        self._piece: tuple[Position, Position, Position, bytes] | None = None
        self._waiting: set[asyncio.Future[bool]] = set()
        self._beat: asyncio.TimerHandle | None = None
        self._last_beat = 0.0
        self.subscribers: set[Subscription] = set()
        self.resyncs = 0
        self.closed = False

    # In

    def publish(self) -> None:
        """To be called when the news are in the log and in the state."""
        if self.news is None:
            return
        notes = self.news.take()
        if notes and notes[0].position <= self.last:
            # A group whose folding failed half-way is folded once more from its beginning.
            notes = [note for note in notes if note.position > self.last]
        if notes is None:  # something happened that cannot be told
            self._forget()
        elif notes:
            self._ring += notes
            self._weight += sum([note.weight for note in notes])
            self.last = notes[-1].position
            self._trim()
        if self._waiting and self._beat is None:
            due = max(0.0, self._last_beat + BEAT_SECONDS - time.monotonic())
            self._beat = asyncio.get_running_loop().call_later(due, self._wake)

    def _trim(self) -> None:
        surplus = max(0, len(self._ring) - RING_EVENTS)
        if surplus < _TRIMMED_AT_ONCE and self._weight <= RING_NODES:
            return
        weight = self._weight - sum([note.weight for note in self._ring[:surplus]])
        while weight > RING_NODES:
            weight -= self._ring[surplus].weight
            surplus += 1
        self._weight = weight
        self._before = self._ring[surplus - 1].position
        del self._ring[:surplus]

    def _forget(self) -> None:
        self._ring.clear()
        self._weight = 0
        self._before = self.last = self._state.position

    def _wake(self) -> None:
        self._beat = None
        self._last_beat = time.monotonic()
        for waiting in self._waiting:
            _answer(waiting, True)
        self._waiting.clear()

    async def close(self, patience: float) -> bool:
        """Ends all subscriptions. False if some do not take what was sent to them before."""
        self.closed = True
        self._wake()
        end = time.monotonic() + patience
        while self.subscribers and time.monotonic() < end:
            await asyncio.sleep(0.01)
        stuck = list(self.subscribers)
        for subscription in stuck:
            subscription.give_up()
        return not stuck

    # Out

    def subscribe(self, after: Position | None = None, wanted: Wanted | None = None) -> "Subscription":
        """From the present position on, or after one that the subscriber has reached."""
        if self.news is None:
            self.news = News(self._state)
            self._forget()
        return Subscription(self, after, wanted or Wanted())

    def holds(self, position: Position) -> bool:
        """Whether everything after that position can be told."""
        return self._before <= position <= self.last

    def notes_after(self, position: Position) -> list[Note]:
        """The next ones, not too many."""
        start = bisect_right(self._ring, position, key=lambda note: note.position)
        return self._ring[start : start + _PIECE_EVENTS]

    def piece_after(self, position: Position) -> tuple[Position, bytes]:
        """The next changes for somebody who wants all of them, and how far they go. Those who
        are at the same place, as nearly all are, get the same bytes."""
        if self._piece is None or self._piece[:2] != (position, self.last):
            texts: list[bytes] = []
            end, size = position, 0
            for note in self.notes_after(position):
                texts.append(self.message(note).text)
                end, size = note.position, size + len(texts[-1])
                if size >= _PIECE_BYTES:
                    break
            self._piece = (position, self.last, end, b"".join(texts))
        return self._piece[2], self._piece[3]

    def message(self, note: Note) -> Message:
        known = self._messages.get(note.position)
        if known is None:
            known = self._messages[note.position] = message(self._state, note)
            self._bytes += len(known.text)
            while self._bytes > _KEPT_BYTES and len(self._messages) > 1:
                self._bytes -= len(self._messages.pop(next(iter(self._messages))).text)
        return known

    async def changed(self, patience: float) -> bool:
        """Waits for something to happen. False if nothing did for that long."""
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[bool] = loop.create_future()
        timer = loop.call_later(patience, _answer, waiting, False)
        self._waiting.add(waiting)
        try:
            return await waiting
        finally:
            timer.cancel()
            self._waiting.discard(waiting)


def _answer(waiting: "asyncio.Future[bool]", happened: bool) -> None:
    if not waiting.done():
        waiting.set_result(happened)


class Subscription:
    """A place in the ring. To be used with `with`."""

    def __init__(self, hub: Hub, after: Position | None, wanted: Wanted) -> None:
        self._hub, self._wanted = hub, wanted
        self._is_new = after is None
        self._position = hub.last if after is None else after
        self._told = self._position  # the last id that the subscriber got
        self.give_up: Callable[[], object] = lambda: None  # what ends the sending to it, come what may

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
                    yield self._sign_of_life()
                continue
            piece = self.take()
            if piece:
                yield piece
            await asyncio.sleep(0)

    def begin(self) -> bytes:
        if not self._is_new:
            return _RETRY
        return _RETRY + frame("hello", self._position, LiveHello(self._position))

    def take(self) -> bytes:
        """What comes next, and nothing if nobody wants that or all is told."""
        hub = self._hub
        if not hub.holds(self._position):
            return self._resync()
        if self._wanted.everything:
            self._position, piece = hub.piece_after(self._position)
            self._told = self._position
            return piece
        texts: list[bytes] = []
        for note in hub.notes_after(self._position):
            told = hub.message(note)
            self._position = note.position
            if self._wanted.takes(told, note.graph):
                texts.append(told.text)
                self._told = note.position
        return b"".join(texts)

    def _resync(self) -> bytes:
        hub = self._hub
        hub.resyncs += 1
        reason = (
            f"the last position is {hub.last}; {self._position} was never told here"
            if self._position > hub.last
            else f"changes after position {self._position} are not at hand any more"
        )
        self._position = self._told = hub.last
        return frame("resync", hub.last, LiveResync(hub.last, reason))

    def _sign_of_life(self) -> bytes:
        """For those who hear of little, with the position up to which there was nothing for them,
        so that they can come back to it."""
        if self._told == self._position:
            return _KEEP_ALIVE
        self._told = self._position
        return b"id: %d\n%b" % (self._told, _KEEP_ALIVE)
