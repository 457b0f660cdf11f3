"""A state with a hub, fed event by event, and what its subscribers are told."""

from collections.abc import Iterable
from typing import Any

import msgspec

from headwater.ids import Position
from headwater.ingest.folding import fold
from headwater.live.hub import Hub, Subscription
from headwater.live.update_filter import UpdateFilter
from headwater.openlineage.timestamps import now
from headwater.shapes.live import LiveChange, LiveHello, LiveResync
from tests.support.world import Told as Record
from tests.support.world import World, record

_SHAPES: dict[str, type[Any]] = {"change": LiveChange, "hello": LiveHello, "resync": LiveResync}


class Told(msgspec.Struct):
    kind: str
    id: int
    data: Any


def read_stream(text: bytes) -> list[Told]:
    """The messages of a stream, as a client reads them; comments and `retry` are passed over."""
    found: list[Told] = []
    for block in text.decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if "data" in fields:
            shape = _SHAPES[fields["event"]]
            data = msgspec.json.decode(fields["data"], type=shape)
            found.append(Told(fields["event"], int(fields["id"]), data))
    return found


class LiveWorld(World):
    """Events go into the log, the state and the hub, as the service does it."""

    def __init__(self, events: Iterable[Record] = ()) -> None:
        super().__init__(events)
        self.hub = Hub(self.state)

    def feed(self, *events: Record) -> list[int]:
        """Takes events in as one group; their positions."""
        records = [record(event) for event in events]
        appended = self.log.append(records, now())
        for place, told in zip(appended, records, strict=True):
            if not place.duplicate:  # edits come one by one, and here so do events
                fold(self.state, self.tables, [(place.position, told)], self.known, self.hub.updates)
        self.hub.publish()
        return [a.position for a in appended]

    def subscribe(self, after: int | None = None, wanted: UpdateFilter | None = None) -> Subscription:
        return self.hub.subscribe(None if after is None else Position(after), wanted)

    def told_of(self, *events: Record) -> LiveChange:
        """The one message for the last of these events, taken in one by one."""
        subscription = self.subscribe()
        for event in events:
            self.feed(event)
        told = read_all(subscription)
        assert [m.kind for m in told] == ["change"] * len(events)
        change: LiveChange = told[-1].data
        return change


def read_all(subscription: Subscription) -> list[Told]:
    """All that a subscriber gets by now."""
    found: list[Told] = []
    while text := subscription.take():
        found += read_stream(text)
    return found
