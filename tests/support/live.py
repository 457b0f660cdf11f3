"""A state with a hub, fed event by event, and what its subscribers get."""

from collections.abc import Iterable
from typing import Any

import msgspec

from headwater.ids import Position
from headwater.ingest.folding import fold
from headwater.live.hub import Hub, Subscription
from headwater.live.update_filter import UpdateFilter
from headwater.openlineage.timestamps import now
from headwater.shapes.live import LiveChange, LiveHello, LiveResync
from tests.support.world import EventOrEdit, World, record

_SHAPES: dict[str, type[Any]] = {"change": LiveChange, "hello": LiveHello, "resync": LiveResync}


class StreamMessage(msgspec.Struct):
    kind: str
    id: int
    data: Any


def read_stream(text: bytes) -> list[StreamMessage]:
    """The messages of a stream, as a client reads them; comments and `retry` are skipped."""
    messages: list[StreamMessage] = []
    for block in text.decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if "data" in fields:
            shape = _SHAPES[fields["event"]]
            data = msgspec.json.decode(fields["data"], type=shape)
            messages.append(StreamMessage(fields["event"], int(fields["id"]), data))
    return messages


class LiveWorld(World):
    """Events go into the log, the state and the hub, as the service does it."""

    def __init__(self, events: Iterable[EventOrEdit] = ()) -> None:
        super().__init__(events)
        self.hub = Hub(self.state)

    def feed(self, *events: EventOrEdit) -> list[int]:
        """Ingests events as one group; returns their positions."""
        records = [record(event) for event in events]
        appended = self.log.append(records, now())
        for entry, event in zip(appended, records, strict=True):
            if not entry.duplicate:  # edits come one by one, and here so do events
                fold(self.state, self.tables, [(entry.position, event)], self.known, self.hub.updates)
        self.hub.publish()
        return [a.position for a in appended]

    def subscribe(self, after: int | None = None, update_filter: UpdateFilter | None = None) -> Subscription:
        return self.hub.subscribe(None if after is None else Position(after), update_filter)

    def update_for(self, *events: EventOrEdit) -> LiveChange:
        """The update for the last of these events, ingested one by one."""
        subscription = self.subscribe()
        for event in events:
            self.feed(event)
        messages = read_all(subscription)
        assert [m.kind for m in messages] == ["change"] * len(events)
        change: LiveChange = messages[-1].data
        return change


def read_all(subscription: Subscription) -> list[StreamMessage]:
    """All that a subscriber gets by now."""
    messages: list[StreamMessage] = []
    while text := subscription.take():
        messages += read_stream(text)
    return messages
