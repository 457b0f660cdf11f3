"""Events of headwater.spark on their way to a server that comes and goes."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from headwater.emit.delivery import Delivery
from headwater.emit.transports import make_transport
from headwater.ids import Position
from headwater.store.sqlite.log import SqliteLog
from tests.support.make import run
from tests.support.server import PATIENCE, MakeServer, Server, free_port, wait_for


def delivery(server: Server, folder: Path, port: int | None = None, **options: Any) -> Delivery:
    transport = make_transport(f"http://127.0.0.1:{port or server.port}", {"timeout": 2})
    return Delivery(transport, folder, **options)


def events(count: int, first: int = 0) -> list[dict[str, Any]]:
    return [run("RUNNING", "stream", at=n, run_id="run-1") for n in range(first, first + count)]


def arrived(server: Server) -> list[str]:
    return [event["eventTime"] for event in server.events()]


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/*.json"))


def test_events_arrive(server: Server, tmp_path: Path) -> None:
    sender = delivery(server, tmp_path / "spool")
    for event in events(5):
        sender.send(event)
    assert sender.flush(PATIENCE)
    assert arrived(server) == [e["eventTime"] for e in events(5)]
    sender.close(1)
    assert files(tmp_path / "spool") == []


def test_a_server_that_is_away_and_comes_back_gets_everything_in_order(make_server: MakeServer, tmp_path: Path) -> None:
    server, port, spool = make_server(), free_port(), tmp_path / "spool"
    sender = delivery(server, spool, port)
    for event in events(20):
        sender.send(event)
    wait_for(lambda: len(files(spool)) == 20, "all events on disk")
    server.start(port)
    for event in events(5, first=20):
        sender.send(event)
    assert sender.flush(PATIENCE)
    assert in_order_of_arrival(server) == [e["eventTime"] for e in events(25)]
    assert files(spool) == []
    server.kill()
    for event in events(5, first=25):
        sender.send(event)
    wait_for(lambda: len(files(spool)) == 5, "all events on disk")
    server.start(port)
    assert sender.flush(PATIENCE)
    assert in_order_of_arrival(server) == [e["eventTime"] for e in events(30)]
    sender.close(1)


def in_order_of_arrival(server: Server) -> list[str]:
    """The order of the log, which is the one in which events came."""
    log = SqliteLog(server.data)
    try:
        return [json.loads(stored.body)["eventTime"] for stored in log.read(Position(0))]
    finally:
        log.close()


def test_what_a_process_leaves_behind_the_next_one_sends(make_server: MakeServer, tmp_path: Path) -> None:
    server, port, spool = make_server(), free_port(), tmp_path / "spool"
    first = delivery(server, spool, port)
    for event in events(3):
        first.send(event)
    first.close(0.1)
    assert len(files(spool)) == 3
    second = delivery(server, spool, port)
    assert not second.flush(0.1), "nobody is there yet"
    server.start(port)
    assert second.flush(PATIENCE)
    second.close(1)
    assert arrived(server) == [e["eventTime"] for e in events(3)]
    assert list(spool.iterdir()) == []


def test_what_a_killed_process_leaves_behind_is_sent_too(make_server: MakeServer, tmp_path: Path) -> None:
    server, port, spool = make_server(), free_port(), tmp_path / "spool"
    program = f"""
import time
from headwater.ids import Position
from headwater.emit.delivery import Delivery
from headwater.emit.transports import make_transport
from tests.support.make import run
sender = Delivery(make_transport("http://127.0.0.1:{port}", None), __import__("pathlib").Path({str(spool)!r}))
for n in range(4):
    sender.send(run("RUNNING", "stream", at=n, run_id="run-1"))
time.sleep(600)
"""
    process = subprocess.Popen([sys.executable, "-c", program])
    try:
        wait_for(lambda: len(files(spool)) == 4, "all events on disk")
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE)
    server.start(port)
    sender = delivery(server, spool)
    wait_for(lambda: server.total() == 4, "what was left behind")
    sender.close(1)
    assert files(spool) == []


def test_with_a_full_disk_events_wait_in_memory(make_server: MakeServer, tmp_path: Path) -> None:
    server, port, spool = make_server(), free_port(), tmp_path / "spool"
    program = f"""
import logging, pathlib, resource, sys
from headwater.emit.delivery import Delivery
from headwater.emit.transports import make_transport
from tests.support.make import run
logging.basicConfig()
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # whatever is written fails
sender = Delivery(make_transport("http://127.0.0.1:{port}", None), pathlib.Path({str(spool)!r}))
for n in range(4):
    sender.send(run("RUNNING", "stream", at=n, run_id="run-1"))
assert not sender.flush(1)
print("waiting", flush=True)
sys.stdin.readline()
assert sender.flush({PATIENCE})
sender.send(run("ABORT", "stream", at=9, run_id="run-1"))
sender.close(1)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        server.start(port)
        _, errors = process.communicate("go on\n", timeout=PATIENCE * 2)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 0, errors
    assert errors.count("wait in memory") == 1, "logged once, with the reason"
    assert "File too large" in errors
    assert server.total() == 5


def test_a_folder_that_is_in_use_is_left_alone(make_server: MakeServer, tmp_path: Path) -> None:
    server, port, spool = make_server(), free_port(), tmp_path / "spool"
    first, second = delivery(server, spool, port), delivery(server, spool, port)
    first.send(events(1)[0])
    wait_for(lambda: len(files(spool)) == 1, "the event on disk")
    third = delivery(server, spool, port)
    assert third.flush(PATIENCE), "there is nothing for it to send"
    for sender in (third, second, first):
        sender.close(0.1)
    assert len(files(spool)) == 1


def test_a_rejected_event_does_not_hold_up_the_rest(server: Server, tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    sender = delivery(server, spool)
    good = events(2)
    bad = {**good[0], "eventTime": "yesterday"}
    for event in (good[0], bad, good[1]):
        sender.send(event)
    assert sender.flush(PATIENCE)
    sender.close(1)
    assert arrived(server) == [e["eventTime"] for e in good]
    (rejected,) = (spool / "refused").iterdir()
    assert json.loads(rejected.read_text()) == bad


def test_a_rejected_event_that_waited_on_disk_does_not_hold_up_the_rest(
    make_server: MakeServer, tmp_path: Path
) -> None:
    server, port, spool = make_server(), free_port(), tmp_path / "spool"
    sender = delivery(server, spool, port)
    good = events(2)
    for event in (good[0], {**good[0], "eventTime": "yesterday"}, good[1]):
        sender.send(event)
    wait_for(lambda: len(files(spool)) == 3, "all events on disk")
    server.start(port)
    wait_for(lambda: server.total() == 2, "the good ones")
    assert sender.flush(PATIENCE)
    sender.close(1)
    assert len(list((spool / "refused").iterdir())) == 1


class Hanging:
    """A transport whose server takes the connection and never answers."""

    def emit(self, event: Any) -> None:
        time.sleep(600)


def test_sending_never_waits_and_a_full_queue_loses_and_counts(tmp_path: Path) -> None:
    sender = Delivery(Hanging(), tmp_path / "spool", size=3)
    for event in events(10):
        sender.send(event)
    assert 10 - 3 - 1 <= sender.dropped <= 10 - 3  # one may be on its way already
    taken = 10 - sender.dropped
    sender.close(0.1)
    assert len(files(tmp_path / "spool")) == taken, "what waits at the end is on disk, and so is what is being sent"


def test_when_the_spool_is_full_running_events_go_first(make_server: MakeServer, tmp_path: Path) -> None:
    server, spool = make_server(), tmp_path / "spool"
    sender = delivery(server, spool, free_port(), max_bytes=1000)
    for event in [*events(20), run("ABORT", "stream", at=30, run_id="run-1")]:
        sender.send(event)
    wait_for(lambda: any("ABORT" in f.read_text() for f in files(spool)), "the last event")
    assert 0 < len(files(spool)) < 21
    assert sender.dropped == 21 - len(files(spool))
    sender.close(0.1)
