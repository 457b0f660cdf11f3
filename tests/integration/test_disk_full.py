"""A disk that fills up under a running server, and has room again: a small tmpfs."""

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.integration.samples import Event, run_event, run_ids
from tests.support.server import MakeServer, Server, assert_error, differences, headwater, rebuild, wait_for

_IS_ROOT = os.geteuid() == 0


class Disk:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._filler = path / "filler"

    def fill(self) -> None:
        """Takes all the room that is left."""
        with self._filler.open("ab", buffering=0) as file:
            for size in (1 << 16, 1 << 12, 1):
                try:
                    while True:
                        file.write(b"\0" * size)
                except OSError:
                    continue

    def make_room(self) -> None:
        self._filler.unlink()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    path = tmp_path / "disk"
    path.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", path], capture_output=True, text=True, check=False
    )
    assert mounted.returncode == 0, mounted.stderr
    try:
        yield Disk(path)
    finally:
        subprocess.run(["umount", "--lazy", path], check=True)


@pytest.fixture
def server(disk: Disk, make_server: MakeServer, tmp_path: Path) -> Server:
    """A running server with its data on the small disk; what it prints goes elsewhere."""
    server = make_server(disk.path / "data", output=tmp_path / "output")
    return server.start()


def post_until_refused(server: Server, acknowledged: list[Event]) -> httpx.Response:
    for number in range(1000, 3000):
        event = run_event(number, job=f"job_{number % 5}")
        answer = server.post(event)
        if answer.status_code != 201:
            return answer
        acknowledged.append(event)
    raise AssertionError("the disk did not fill up")


def test_events_are_refused_until_there_is_room_again(server: Server, disk: Disk) -> None:
    acknowledged = [run_event(number, job=f"job_{number % 5}") for number in range(200)]
    assert server.post_batch(acknowledged).status_code == 204
    disk.fill()

    refused = post_until_refused(server, acknowledged)
    assert "full" in assert_error(refused, 503)["message"]
    assert int(refused.headers["retry-after"]) > 0
    refused = server.post_batch([run_event(4000), run_event(4001)])
    assert_error(refused, 503)
    assert "retry-after" in refused.headers

    # It lives on: the graph answers, and whoever watches it learns why.
    health = server.get("/healthz")
    assert health.status_code == 503
    assert health.json()["status"].startswith("degraded")
    assert len(server.json("/api/v1/lineage", nodeId="dataset:s3://warehouse:orders")["graph"]) == 7
    assert server.json("/api/v1/namespaces")["namespaces"]
    assert server.get("/metrics").status_code == 200
    for path in ("/api/v1/jobs", "/api/v1/events/lineage", "/api/v1/namespaces/s3:%2F%2Fwarehouse/datasets/orders"):
        answer = server.get(path)
        if answer.status_code != 200:
            assert "full" in assert_error(answer, 503)["message"]
            assert "retry-after" in answer.headers

    disk.make_room()
    event = run_event(5000)
    wait_for(lambda: server.post(event).status_code == 201, "an event to be accepted")
    acknowledged.append(event)
    wait_for(lambda: server.get("/healthz").status_code == 200, "good health")
    counts = Counter(run_ids(server.events()))
    assert set(run_ids(acknowledged)) <= set(counts)
    assert set(counts.values()) == {1}

    before = server.answers()
    server.stop()
    rebuild(server.data)
    assert not differences(before, server.start().answers())


def test_it_stops_on_a_full_disk_and_goes_on_from_the_log(server: Server, disk: Disk) -> None:
    acknowledged: list[Event] = [run_event(1)]
    assert server.post(acknowledged[0]).status_code == 201
    disk.fill()
    post_until_refused(server, acknowledged)
    assert server.signal(signal.SIGTERM) == 0
    disk.make_room()
    assert sorted(run_ids(server.start().events())) == sorted(run_ids(acknowledged))


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL], ids=["stopped", "killed"])
def test_a_start_on_a_full_disk_says_so(server: Server, disk: Disk, how: int) -> None:
    acknowledged: list[Event] = [run_event(1)]
    assert server.post(acknowledged[0]).status_code == 201
    server.signal(how)
    disk.fill()
    for command in (["serve", "--port", str(server.port)], ["rebuild"]):
        done = headwater(*command, "--data", str(server.data))
        assert done.returncode == 1
        assert str(server.data) in done.stderr
        assert "Traceback" not in done.stderr
    disk.make_room()
    assert run_ids(server.start().events()) == run_ids(acknowledged)


if not _IS_ROOT:
    # Only root may mount, but anybody may be root in a namespace of their own: there this file
    # is run once more, and one test here stands for all.
    for _name in [name for name in globals() if name.startswith("test_")]:
        del globals()[_name]

    def test_on_a_full_disk_in_a_namespace_of_its_own() -> None:
        inside = ["unshare", "--user", "--map-root-user", "--mount", sys.executable, "-m", "pytest", __file__]
        done = subprocess.run(inside, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
