"""`python -m headwater.store.reader SOCKET BUFFER FOLDER`: runs a server's queries, one after the other.

Started by `reader_pool.ReaderPool`, at the other end of the socket. It ends when that end is closed,
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
from headwater.store.reader_pool import StoreRef
from headwater.store.shared_memory import HEADER_BYTES, Header, SharedBuffer
from headwater.store.sqlite.log import SqliteLogReader
from headwater.store.sqlite.queries import SqliteQueries

logger = logging.getLogger(__name__)


def main() -> None:
    # Ctrl-C reaches all processes of a terminal; the server finishes its answers first.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    buffer, folder = SharedBuffer(int(sys.argv[2])), Path(sys.argv[3])
    store = {"log": SqliteLogReader(folder), "tables": SqliteQueries(folder)}
    gc.freeze()
    keep_large_blocks()
    with socket.socket(fileno=int(sys.argv[1])) as server, server.makefile("rb") as queries:
        while data := queries.read(HEADER_BYTES):
            header = Header.decode(data)
            read_query = partial(buffer.read, header, queries.read(header.following))
            server.sendall(buffer.write(_run(read_query, store)))
    # Without closing the files: after a kill of the server this would be the last to close them, and
    # SQLite would check the journal in then, while the next server may be looking at it.
    os._exit(0)


def _run(read_query: Callable[[], Any], store: dict[str, Any]) -> tuple[bool, Any]:
    """Whether the query failed, and its result or the error."""
    try:
        query, args, kwargs = read_query()
        if isinstance(query, StoreRef):
            query = query.resolve(store)
        return False, query(*[arg.resolve(store) if isinstance(arg, StoreRef) else arg for arg in args], **kwargs)
    except HeadwaterError as e:
        return True, e
    except Exception as e:
        logger.exception("a query to the store failed")
        return True, StoreUnavailable(f"a query to the store failed: {e}")


if __name__ == "__main__":
    main()
