"""What a watcher keeps on disk, so that another one after it goes on with the same runs."""

import hashlib
import os
from pathlib import Path

import msgspec

from headwater.errors import BadRequest
from headwater.watch.connect.runs import Kept


class Memory(msgspec.Struct):
    version: int = 1
    cluster: str = ""
    connectors: dict[str, Kept] = {}
    workers: list[str] = []
    """Workers that answered under their own address."""


def default_file(connect: str, namespace: str) -> Path:
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    digest = hashlib.sha256(f"{connect.rstrip('/')} {namespace}".encode()).hexdigest()[:16]
    return Path(state) / "headwater" / "watch" / f"connect-{digest}.json"


def read(file: Path) -> Memory:
    try:
        return msgspec.json.decode(file.read_bytes(), type=Memory)
    except FileNotFoundError:
        return Memory()
    except (OSError, msgspec.MsgspecError) as e:
        raise BadRequest(f"cannot read what an earlier watcher kept in {file}: {e}. Remove it to begin anew") from None


def write(file: Path, memory: Memory) -> None:
    """Whole or not at all: a crash leaves the one before."""
    partial = file.with_suffix(f".{os.getpid()}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(msgspec.json.encode(memory))
        partial.replace(file)
    except OSError as e:
        raise BadRequest(f"cannot write {file}, which keeps what a restart has to know: {e.strerror or e}") from None
