"""`python -m headwater.store.reader SOCKET ROOM FOLDER`: answers the questions of a server, one after the other.

Started by `asking.InProcesses`, at the other end of the socket. It ends when that end is closed,
so it never outlives its server, however that ends.
"""

import gc
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from headwater.errors import HeadwaterError, StoreUnavailable
from headwater.malloc import keep_large_blocks
from headwater.store.reader_pool import Named
from headwater.store.shared_memory import HEADER_BYTES, Header, Room
from headwater.store.sqlite.log import SqliteLogReader
from headwater.store.sqlite.queries import SqliteQuestions

logger = logging.getLogger(__name__)


def main() -> None:
    # Ctrl-C reaches all processes of a terminal; the server finishes its answers first.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    room, folder = Room(int(sys.argv[2])), Path(sys.argv[3])
    store = {"log": SqliteLogReader(folder), "tables": SqliteQuestions(folder)}
    gc.freeze()
    keep_large_blocks()
    with socket.socket(fileno=int(sys.argv[1])) as server, server.makefile("rb") as questions:
        while text := questions.read(HEADER_BYTES):
            header = Header.read(text)
            asked = partial(room.take, header, questions.read(header.following))
            server.sendall(room.put(_answer(asked, store)))
    # Without closing the files: after a kill of the server this would be the last to close them, and
    # SQLite would take the journal over then, while the next server may be looking at it.
    os._exit(0)


def _answer(asked: Callable[[], Any], store: dict[str, Any]) -> tuple[bool, Any]:
    """Whether it failed, and the answer or the failure."""
    try:
        question, args, kwargs = asked()
        if isinstance(question, Named):
            question = question.found(store)
        return False, question(*[one.found(store) if isinstance(one, Named) else one for one in args], **kwargs)
    except HeadwaterError as e:
        return True, e
    except Exception as e:
        logger.exception("a question to the store failed")
        return True, StoreUnavailable(f"a question to the store failed: {e}")


if __name__ == "__main__":
    main()
