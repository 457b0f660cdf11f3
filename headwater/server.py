"""`headwater serve`: opens the store, brings the state up, listens, and stops cleanly."""

import asyncio
import gc
import logging
import resource
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress

import uvloop
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server.embed import Server

from headwater.api.app import Application
from headwater.config import Settings
from headwater.errors import HeadwaterError
from headwater.ingest.folding import Progress, recover
from headwater.ingest.service import Service
from headwater.malloc import keep_large_blocks
from headwater.store.open import open_store
from headwater.store.reader_pool import ReaderPool

logger = logging.getLogger(__name__)

# Other threads wait this long for Python's lock; the default of 5 ms shows in the latency of
# every commit.
_SWITCH_SECONDS = 0.0005

_MOST_CONNECTIONS = 16_384


class CannotListenError(HeadwaterError):
    pass


ShowProgress = Callable[[int], AbstractContextManager[Progress]]
"""Given the number of events in the log."""


def serve(settings: Settings, ready: Callable[[Service], None], show_progress: ShowProgress) -> None:
    """Runs until SIGTERM or Ctrl-C. Serving begins when the state is complete; loading it shows progress."""
    check_port(settings)
    _raise_open_files_limit()
    sys.setswitchinterval(_SWITCH_SECONDS)
    keep_large_blocks()
    with open_store(settings) as (log, tables):
        with show_progress(log.last()) as progress:
            state = recover(log, tables, progress)
        # The state is large and lasts: the collector never has to look at it again, and need
        # not run often, as hardly any garbage is cyclic.
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000, 50, 1000)
        readers = ReaderPool(settings.data, log, tables)
        uvloop.run(_run(settings, readers, lambda: Service(log, tables, state, readers), ready))


async def _run(
    settings: Settings, readers: ReaderPool, make: Callable[[], Service], ready: Callable[[Service], None]
) -> None:
    await readers.start()
    service = make()
    await service.start()
    application = Application(service, settings)
    await application.search.start()
    # The application lasts as well. Else the first large answer would pay for looking through it.
    gc.freeze()
    server = Server(
        application,
        address=settings.host,
        port=settings.port,
        interface=Interfaces.ASGINL,
        websockets=False,
        # If the server had to detect the protocol, it would wait forever for a client that sends nothing;
        # and idle connections must not use up the places of others.
        http=HTTPModes.http1,
        backpressure=_MOST_CONNECTIONS,
        backlog=2048,
        http1_settings=HTTP1Settings(header_read_timeout=int(settings.header_seconds * 1000)),
        log_level=LogLevels.error,
    )
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    serving = asyncio.create_task(server.serve())
    listening = asyncio.create_task(_announce(settings, service, ready))
    stop = asyncio.create_task(stopping.wait())
    await asyncio.wait((serving, stop), return_when=asyncio.FIRST_COMPLETED)
    listening.cancel()
    all_ended = await service.release_waiting()
    if not serving.done():
        server.stop()  # type: ignore[no-untyped-call]
    with suppress(asyncio.TimeoutError):
        # A stream that nobody reads would never end; other requests have a second to finish.
        await asyncio.wait_for(asyncio.shield(serving), 10 if all_ended else 1)
    await application.search.stop()
    await service.stop()


async def _announce(settings: Settings, service: Service, ready: Callable[[Service], None]) -> None:
    while True:
        try:
            _, writer = await asyncio.open_connection(settings.host, settings.port)
        except OSError:
            await asyncio.sleep(0.01)
            continue
        writer.close()
        ready(service)
        return


def check_port(settings: Settings) -> None:
    """Fails with a clear error if the port is taken, before anything else happens."""
    try:
        family = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((settings.host, settings.port))
    except (OSError, OverflowError) as e:
        reason = e.strerror if isinstance(e, OSError) and e.strerror else e
        raise CannotListenError(
            f"cannot listen on {settings.host}:{settings.port}: {reason}. Choose another port with --port."
        ) from None


def _raise_open_files_limit() -> None:
    """Each connection is an open file; allow as many as the system does."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
