"""The file in which a watcher keeps its runs, so that the next watcher continues them."""

import hashlib
import os
from pathlib import Path

import msgspec

from headwater.errors import BadRequest
from headwater.watch.connect.runs import RunState


class WatcherState(msgspec.Struct):
    version: int = 1
    cluster: str = ""
    connectors: dict[str, RunState] = {}
    workers: list[str] = []
    """Workers that answered under their own address."""


class StateFile:
    """Written only when the state changed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._saved = msgspec.json.encode(WatcherState())

    def read(self) -> WatcherState:
        try:
            state = msgspec.json.decode(self._path.read_bytes(), type=WatcherState)
        except FileNotFoundError:
            return WatcherState()
        except (OSError, msgspec.MsgspecError) as e:
            raise BadRequest(f"cannot read the state file {self._path}: {e}. Remove it to start afresh") from None
        self._saved = msgspec.json.encode(state)
        return state

    def save(self, state: WatcherState) -> None:
        content = msgspec.json.encode(state)
        if content != self._saved:
            self._write(content)
            self._saved = content

    def _write(self, content: bytes) -> None:
        """Whole or not at all: after a crash the file is the one before."""
        partial = self._path.with_suffix(f".{os.getpid()}.part")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            partial.write_bytes(content)
            partial.replace(self._path)
        except OSError as e:
            raise BadRequest(f"cannot write the state file {self._path}: {e.strerror or e}") from None


def default_file(connect: str, namespace: str) -> Path:
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    digest = hashlib.sha256(f"{connect.rstrip('/')} {namespace}".encode()).hexdigest()[:16]
    return Path(state) / "headwater" / "watch" / f"connect-{digest}.json"
