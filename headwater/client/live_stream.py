"""Reads server-sent events as updates, and resumes after the connection was lost."""

from collections.abc import Iterator
from typing import Any

import msgspec

from headwater.client.request import API, without_none
from headwater.errors import ServerFailed
from headwater.shapes.live import LiveChange, LiveResync

LIVE = f"{API}/live"
# The server sends a heartbeat more often than this; without one the connection is dead.
SILENCE_SECONDS = 60.0
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0

_SHAPES: dict[str, type[LiveChange] | type[LiveResync]] = {"change": LiveChange, "resync": LiveResync}


class LiveStream:
    """One stream, over any number of connections."""

    def __init__(self, after: int | None, filters: dict[str, str | int | None]) -> None:
        self._params = without_none(filters)
        self.pause = FIRST_PAUSE
        self._position = None if after is None else str(after)
        self._buffer = b""
        self._event, self._id = "", self._position
        self._data: list[str] = []

    def arguments(self) -> dict[str, Any]:
        """For httpx, to connect and resume after the last whole message; a partial one is dropped."""
        self._buffer = b""
        self._reset()
        headers = {"Accept": "text/event-stream"}
        if self._position is not None:
            headers["Last-Event-ID"] = self._position
        return {"params": self._params, "headers": headers, "timeout": SILENCE_SECONDS}

    def next_pause(self) -> float:
        """Seconds before reconnecting; longer each time until something arrives."""
        pause, self.pause = self.pause, min(self.pause * 2, LONGEST_PAUSE)
        return pause

    def feed(self, chunk: bytes) -> Iterator[LiveChange | LiveResync]:
        # Only \n ends a line: Unicode's other line separators may stand inside JSON.
        *lines, self._buffer = (self._buffer + chunk).split(b"\n")
        for line in lines:
            text = line.decode().removesuffix("\r")
            if text:
                self._field(text)
                continue
            message = self._message()
            if message is not None:
                yield message

    def _field(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._event = value
        elif name == "data":
            self._data.append(value)
        elif name == "id":
            self._id = value

    def _message(self) -> LiveChange | LiveResync | None:
        self._position, self.pause = self._id, FIRST_PAUSE
        shape, data = _SHAPES.get(self._event), "\n".join(self._data)
        self._reset()
        if shape is None or not data:
            return None
        try:
            return msgspec.json.decode(data, type=shape)
        except msgspec.MsgspecError as e:
            raise ServerFailed(f"cannot read the live stream: {e}", 200) from None

    def _reset(self) -> None:
        self._event, self._data, self._id = "", [], self._position
