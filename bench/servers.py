"""Processes that a measurement starts, and their CPU time and memory."""

import os
import resource
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from bench.load import Report, Task

_READY_SECONDS = 300
_STOP_SECONDS = 120
_LOAD_SECONDS = 600  # for a load that ends by itself
_LATE_SECONDS = 30  # for the answers to the last requests
_BEHIND = ("headwater_tables_behind ", "headwater_search_behind ")
_TICKS = os.sysconf("SC_CLK_TCK")


class BenchError(Exception):
    """A measurement could not be made."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """A server process; leaving its `with` block ends it."""

    def __init__(self, command: Sequence[str], port: int, output: Path, ready_path: str | None) -> None:
        self.port = port
        self._output = output
        began = time.perf_counter()
        with output.open("wb") as file:
            # In its own session: Ctrl-C reaches only the bench, which then stops the servers.
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, start_new_session=True
            )
        try:
            self._wait(ready_path)
        except BaseException:
            self.stop()
            raise
        self.startup_seconds = time.perf_counter() - began

    def _wait(self, ready_path: str | None) -> None:
        deadline = time.monotonic() + _READY_SECONDS
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise BenchError(f"the server ended at once: {self.output()}")
            try:
                if ready_path is not None:
                    self.get(ready_path)
                else:
                    socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                time.sleep(0.005)
            else:
                return
        raise BenchError(f"the server was not ready after {_READY_SECONDS} s: {self.output()}")

    def output(self) -> str:
        return self._output.read_text(errors="replace")[-2000:].strip()

    def get(self, path: str) -> bytes:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=60) as answer:
            body: bytes = answer.read()
            return body

    def position(self) -> int:
        """How many events the server has."""
        return int(msgspec.json.decode(self.get("/healthz"))["position"])

    def settle(self) -> None:
        """Waits until tables and search index have caught up with the log, which takes a while after a large load."""
        deadline = time.monotonic() + _READY_SECONDS
        while any(self._behind()):
            if time.monotonic() > deadline:
                raise BenchError(f"tables or search index are still behind after {_READY_SECONDS} s: {self.output()}")
            time.sleep(0.2)

    def _behind(self) -> list[float]:
        lines = self.get("/metrics").decode().splitlines()
        return [float(line.split()[1]) for line in lines if line.startswith(_BEHIND)]

    def cpu_seconds(self) -> float:
        # The command name is in brackets and may hold blanks; the numbers come after it.
        stat = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(stat[11]) + int(stat[12])) / _TICKS

    def rss_bytes(self) -> int:
        """With the processes that it started."""
        tasks = Path(f"/proc/{self._process.pid}/task").glob("*/children")
        children = [int(child) for task in tasks for child in task.read_text().split()]
        return sum(map(_rss_bytes, (self._process.pid, *children)))

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
                raise BenchError(f"the server did not stop within {_STOP_SECONDS} s: {self.output()}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()


def headwater(data: Path) -> Server:
    port = free_port()
    command = [sys.executable, "-m", "headwater.cli.main", "serve", "--port", str(port), "--data", str(data)]
    return Server(command, port, data.with_suffix(".log"), "/healthz")


def floor(folder: Path) -> Server:
    port = free_port()
    command = [sys.executable, "-m", "bench.floor", str(port), str(folder / "floor.events")]
    return Server(command, port, folder / "floor.log", None)


@contextmanager
def _generator(task: Task) -> Iterator["subprocess.Popen[str]"]:
    """A load generator that is connected and waits for its start."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.load"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(msgspec.json.encode(task).decode() + "\n")
        process.stdin.flush()
        if process.stdout.readline() != "ready\n":
            raise BenchError(f"the load generator failed: {process.communicate()[1][-2000:]}")
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def _result(process: "subprocess.Popen[str]", task: Task) -> Report:
    limit = _LOAD_SECONDS if task.seconds is None else task.warm_seconds + task.seconds + _LATE_SECONDS
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        raise BenchError(f"the server has not answered everything after {limit:.0f} s") from None
    if process.returncode:
        raise BenchError(f"the load generator failed: {err[-2000:]}")
    report = msgspec.json.decode(out, type=Report)
    if report.failed:
        raise BenchError(f"{report.failed} of {report.requests} requests failed, the first with {report.first_error}")
    return report


def run_load(task: Task) -> Report:
    with _generator(task) as process:
        _go(process)
        return _result(process, task)


def run_together(first: Task, second: Task) -> tuple[Report, Report]:
    """Two loads that start at the same moment."""
    with _generator(first) as one, _generator(second) as other:
        _go(one)
        _go(other)
        return _result(one, first), _result(other, second)


def _go(process: "subprocess.Popen[str]") -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def disk() -> str | None:
    """Where stores are made: not in /tmp, which is often in memory. Syncs have to cost what they cost on a disk."""
    return None if os.environ.get("TMPDIR") or not os.access("/var/tmp", os.W_OK) else "/var/tmp"


def bytes_in(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


class OtherWork:
    """CPU time of everything else on the machine. Read it after the servers have stopped: the system counts only
    ended processes as ours."""

    def __init__(self) -> None:
        self._began, self._busy, self._ours = time.monotonic(), _busy_seconds(), _our_seconds()

    def cores(self) -> float:
        busy, ours = _busy_seconds() - self._busy, _our_seconds() - self._ours
        return max(0.0, (busy - ours) / (time.monotonic() - self._began))


def _busy_seconds() -> float:
    user, nice, system, _, _, *interrupts_and_stolen = map(int, Path("/proc/stat").read_text().split()[1:9])
    return (user + nice + system + sum(interrupts_and_stolen)) / _TICKS


def _our_seconds() -> float:
    """With all processes that we started and that have ended."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _rss_bytes(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise BenchError("cannot read the memory of the server")
