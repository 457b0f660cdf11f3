"""`headwater send`: files, folders, standard input, and the errors for refused events."""

import gzip
import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.integration.samples import recorded, run_event
from tests.support.server import HEADWATER, MakeServer, Server, headwater, wait_for

EVENTS = [run_event(n) for n in range(5)]


def lines(events: list[Any]) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def send(server: Server, *arguments: str, stdin: bytes | None = None) -> "subprocess.CompletedProcess[bytes]":
    command = [*HEADWATER, "send", *arguments, "--url", server.url]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=60, check=False)


@pytest.mark.parametrize(
    "text",
    [
        lines(EVENTS),
        b"\n\n" + lines(EVENTS).replace(b"\n", b"\r\n\r\n"),
        json.dumps(EVENTS).encode(),
        json.dumps(EVENTS, indent=2).encode(),
    ],
    ids=["lines", "empty lines", "array", "array over many lines"],
)
def test_lines_and_arrays(server: Server, tmp_path: Path, text: bytes) -> None:
    file = tmp_path / "events"
    file.write_bytes(text)
    done = send(server, str(file))
    assert (done.returncode, done.stdout) == (0, b"5 events sent, 0 refused\n")
    assert server.events() == EVENTS


def test_one_event_over_many_lines(server: Server, tmp_path: Path) -> None:
    file = tmp_path / "event.json"
    file.write_text(json.dumps(EVENTS[0], indent=4))
    assert send(server, str(file)).returncode == 0
    assert server.total() == 1


@pytest.mark.parametrize("arguments", [("-",), ()], ids=["named", "by default"])
def test_standard_input(server: Server, arguments: tuple[str, ...]) -> None:
    assert send(server, *arguments, stdin=lines(EVENTS)).returncode == 0
    assert server.total() == 5


def test_nothing_is_no_error(server: Server) -> None:
    done = send(server, stdin=b"")
    assert (done.returncode, done.stdout) == (0, b"0 events sent, 0 refused\n")


def test_a_folder_is_gone_through_with_all_its_files(server: Server, tmp_path: Path) -> None:
    folder = tmp_path / "events"
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "a.jsonl").write_bytes(lines(EVENTS[:2]))
    (folder / "deep" / "b.json").write_text(json.dumps(EVENTS[2:4]))
    (folder / "deep" / "er" / "c.ndjson.gz").write_bytes(gzip.compress(lines(EVENTS[4:])))
    (folder / "README.txt").write_text("not an event")
    done = send(server, str(folder))
    assert (done.returncode, done.stdout) == (0, b"5 events sent, 0 refused\n")
    assert server.events() == EVENTS


def test_refused_events_are_named_by_file_and_number(server: Server, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_bytes(lines(EVENTS[:2]))
    bad.write_bytes(lines([EVENTS[2]]) + b"{broken\n" + lines([{"eventTime": "soon"}, EVENTS[3]]))
    done = send(server, str(good), str(bad))
    assert (done.returncode, done.stdout) == (1, b"4 events sent, 2 refused\n")
    named = done.stderr.decode().splitlines()
    assert named[0].startswith(f"{bad}, event 2: is not JSON")
    assert named[1].startswith(f"{bad}, event 3: eventTime")
    assert server.total() == 4


@pytest.mark.parametrize("name", ["missing.jsonl", "empty"])
def test_a_file_or_folder_without_events_is_named(server: Server, tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    done = send(server, str(tmp_path / name))
    assert done.returncode == 1
    assert name in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_a_packed_file_that_is_cut_short_is_named(server: Server, tmp_path: Path) -> None:
    file = tmp_path / "cut.jsonl.gz"
    file.write_bytes(gzip.compress(lines(EVENTS * 50))[:-20])
    done = send(server, str(file))
    assert done.returncode == 1
    assert "cut.jsonl.gz" in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_a_server_that_restarts_meanwhile_gets_everything(make_server: MakeServer, tmp_path: Path) -> None:
    server = make_server().start()
    events = [run_event(n, job=f"job_{n}") for n in range(3000)]
    command = [*HEADWATER, "send", "-", "--url", server.url]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(lines(events[:1500]))
        process.stdin.flush()
        wait_for(lambda: server.total() > 0, "the first events")
        server.signal(signal.SIGKILL)
        server.start(port=server.port)
        process.stdin.write(lines(events[1500:]))
        process.stdin.close()
        assert process.wait(60) == 0
    assert server.total() == 3000


def test_recorded_events_are_sent_as_they_are(server: Server, tmp_path: Path) -> None:
    file = tmp_path / "recorded.jsonl"
    file.write_bytes(lines(recorded()))
    done = headwater("send", str(file), env={"HEADWATER_URL": server.url})
    assert done.stdout == "148 events sent, 0 refused\n"
    assert sorted(map(json.dumps, server.events())) == sorted(map(json.dumps, recorded()))
