"""`headwater tail`: lines as things happen, over restarts of the server."""

import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.integration.samples import run_event
from tests.support.server import HEADWATER, Server, wait_for

Tail = Callable[..., "Tailing"]


class Tailing:
    def __init__(self, output: Path, *arguments: str) -> None:
        self._output = output
        with output.open("wb") as out:
            self.process = subprocess.Popen(
                [*HEADWATER, "tail", *arguments],
                stdout=out,
                stderr=subprocess.STDOUT,
                # Tests that run in the background may ignore it.
                preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
            )

    def lines(self) -> list[str]:
        assert self.process.poll() is None, self._output.read_text()
        return self._output.read_text().splitlines()

    def end(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(30)


@pytest.fixture
def tail(tmp_path: Path) -> Iterator[Tail]:
    made: list[Tailing] = []

    def start(*arguments: str) -> Tailing:
        made.append(Tailing(tmp_path / f"tail-{len(made)}", *arguments))
        return made[-1]

    yield start
    for one in made:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait(30)


def wait_until_it_listens(server: Server, tailing: Tailing) -> None:
    """Sends events until one is shown: only then it is known to listen."""
    before = len(tailing.lines())

    def has_new_line() -> bool:
        server.post(run_event(server.total()))
        return len(tailing.lines()) > before

    wait_for(has_new_line, "a line")


def positions(tailing: Tailing) -> list[int]:
    return [json.loads(line)["position"] for line in tailing.lines()]


def test_every_update_is_a_line(server: Server, tail: Tail) -> None:
    tailing = tail("--url", server.url)
    wait_until_it_listens(server, tailing)
    server.post(run_event(90, "START", run="r"))
    server.post(run_event(91, "FAIL", run="r"))
    wait_for(lambda: "RUNNING → FAILED" in tailing.lines()[-1], "the failure")
    start = tailing.lines()[-2]
    assert "START" in start
    assert "job:orders-pipeline:orders_to_lake" in start
    assert tailing.end() == 130


def test_it_goes_on_when_the_server_comes_back(server: Server, tail: Tail) -> None:
    tailing = tail("--url", server.url, "--json")
    wait_until_it_listens(server, tailing)
    server.kill()
    server.start(port=server.port)
    wait_until_it_listens(server, tailing)
    server.post(run_event(99))
    wait_for(lambda: positions(tailing)[-1] == server.total(), "the last event")
    assert positions(tailing) == sorted(set(positions(tailing)))


def test_only_what_is_around_a_node(server: Server, tail: Tail) -> None:
    server.post(run_event(0))
    tailing = tail("orders_to_lake", "--json", "--url", server.url)
    wait_until_it_listens(server, tailing)
    server.post(run_event(1, job="other", source=("a://x", "a"), target=("a://x", "b")))
    elsewhere = server.total()
    server.post(run_event(2))
    wait_for(lambda: positions(tailing)[-1] == server.total(), "the last event")
    assert elsewhere not in positions(tailing)
