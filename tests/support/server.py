"""Real servers in temporary folders, and what the tests ask them."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from tests.support.forked import Forked
from tests.support.ports import free_port as free_port

HEADWATER = (sys.executable, "-m", "headwater.cli.main")

# Far beyond what anything here takes: reaching it means that something hangs.
PATIENCE = 30.0

EVENT, BATCH, EVENTS = "/api/v1/lineage", "/api/v1/lineage/batch", "/api/v1/events/lineage"


def wait_for(condition: Callable[[], Any], what: str, seconds: float = PATIENCE) -> Any:
    """Returns the first true answer of `condition`."""
    began = time.monotonic()
    while not (answer := condition()):
        waited = time.monotonic() - began
        assert waited < seconds, f"waited {seconds:g} s for {what}"
        # Looking has a price, and others need the machine: who waits for long looks less often.
        time.sleep(min(max(waited / 20, 0.01), 0.25))
    return answer


def headwater(*arguments: str, env: Mapping[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
    """Runs a command to its end."""
    with tempfile.TemporaryDirectory() as folder:
        output, errors = Path(folder) / "output", Path(folder) / "errors"
        process = Forked(arguments, {**os.environ, "COLUMNS": "500", **(env or {})}, output, errors)
        try:
            code = process.wait(60)
        finally:
            process.send_signal(signal.SIGKILL)
        return subprocess.CompletedProcess(arguments, code, output.read_text(), errors.read_text())


def rebuild(data: Path) -> str:
    done = headwater("rebuild", "--data", str(data))
    assert done.returncode == 0, done.stderr
    return done.stdout


class Server:
    """`headwater serve`, or another command, as a process of its own."""

    def __init__(
        self, data: Path, *, command: str = "serve", env: Mapping[str, str] | None = None, output: Path | None = None
    ) -> None:
        self.data = data
        self.port = 0
        self._command = command
        self._env = {**os.environ, "COLUMNS": "500", **(env or {})}
        self._log = output or data.parent / f"{data.name}.output"
        self._process: Forked | None = None
        self._client: httpx.Client | None = None

    # Life

    def start(self, port: int | None = None) -> "Server":
        self.launch(port)
        self.wait_ready()
        return self

    def launch(self, port: int | None = None) -> None:
        assert self._process is None or self._process.poll() is not None, "it is running already"
        self.close_client()
        arguments = [self._command]
        if self._command != "rebuild":
            self.port = port or free_port()
            arguments += ["--port", str(self.port)]
        if self._command != "demo":
            arguments += ["--data", str(self.data)]
        self._log.write_bytes(b"")  # the output of the process before is no sign of this one
        self._process = Forked(arguments, self._env, self._log)

    def wait_ready(self, seconds: float = PATIENCE) -> None:
        def ready() -> bool:
            assert self.process.poll() is None, f"exit code {self.process.returncode}: {self.output()}"
            return "listens on" in self.output()

        wait_for(ready, "the server to listen", seconds)
        assert self.pid in listeners(self.port), f"port {self.port} is held by another process"

    @property
    def process(self) -> Forked:
        assert self._process is not None, "not started"
        return self._process

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def output(self) -> str:
        return self._log.read_text(errors="replace")

    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def signal(self, number: int) -> int:
        """Sends a signal and waits for the end; the exit code."""
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        self.close_client()
        return code

    def kill(self) -> None:
        self.signal(signal.SIGKILL)

    def stop(self) -> None:
        code = self.signal(signal.SIGTERM)
        assert code == 0, f"exit code {code}: {self.output()}"

    def restart(self) -> "Server":
        self.stop()
        return self.start()

    def end(self) -> None:
        """Whatever happened, nothing stays behind."""
        if self.is_running():
            self.kill()
        self.close_client()

    # Requests

    @property
    def client(self) -> httpx.Client:
        if self._client is None:
            self._client = httpx.Client(base_url=self.url, timeout=PATIENCE, trust_env=False)
        return self._client

    def close_client(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def post(self, event: Any, **headers: str) -> httpx.Response:
        """An event, or bytes to send as they are."""
        body = event if isinstance(event, bytes) else json.dumps(event).encode()
        return self.client.post(EVENT, content=body, headers=headers)

    def post_batch(self, events: Any, **headers: str) -> httpx.Response:
        body = events if isinstance(events, bytes) else json.dumps(events).encode()
        return self.client.post(BATCH, content=body, headers=headers)

    def get(self, path: str, **parameters: Any) -> httpx.Response:
        return self.client.get(path, params=parameters or None)

    def json(self, path: str, **parameters: Any) -> Any:
        answer = self.get(path, **parameters)
        assert answer.status_code == 200, f"{path} {parameters}: {answer.status_code} {answer.text[:500]}"
        return answer.json()

    def events(self) -> list[Any]:
        """Every event, in the order of eventTime."""
        events: list[Any] = []
        while True:
            page = self.json(EVENTS, sortDirection="asc", limit=1000, offset=len(events))
            events += page["events"]
            if not page["events"]:
                assert page["totalCount"] == len(events)
                return events

    def total(self) -> int:
        """How many events there are."""
        count: int = self.json(EVENTS, limit=0)["totalCount"]
        return count

    def answers(self) -> dict[str, Any]:
        """All that the server answers, for comparing it with itself at another time."""
        return dict(_answers(self))


MakeServer = Callable[..., Server]
"""Makes a server that is not started yet, as the fixture `make_server` does."""


def listeners(port: int) -> set[int]:
    """The processes that listen on a port of 127.0.0.1, as the kernel lists them."""
    inodes = set()
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[3] == "0A" and int(fields[1].rpartition(":")[2], 16) == port:
            inodes.add(f"socket:[{fields[9]}]")
    pids = set()
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if os.readlink(link) in inodes:
                pids.add(int(link.parts[2]))
        except OSError:
            continue
    return pids


def path_of(kind: str, namespace: str, name: str) -> str:
    """`/api/v1/namespaces/…/jobs/…` with each name as one segment; dots too, as clients resolve them."""
    parts = (quote(part, safe="").replace(".", "%2E") for part in (namespace, name))
    return f"/api/v1/namespaces/{next(parts)}/{kind}/{next(parts)}"


def namespace_path(namespace: str) -> str:
    return "/api/v1/namespaces/" + quote(namespace, safe="").replace(".", "%2E")


def _answers(server: Server) -> Iterator[tuple[str, Any]]:
    def ask(path: str, **parameters: Any) -> tuple[str, Any]:
        return f"{path} {parameters}", _sorted(server.json(path, **parameters))

    yield ("events", server.events())
    names = server.json("/api/v1/namespaces", limit=1000)
    yield ("namespaces", names)
    yield ask("/api/v1/jobs", limit=1000)
    yield ask("/api/v1/sources", limit=1000)
    yield ask("/api/v1/tags", limit=1000)
    for namespace in (n["name"] for n in names["namespaces"]):
        for kind in ("jobs", "datasets"):
            listed = server.json(f"{namespace_path(namespace)}/{kind}", limit=1000)
            yield (f"{kind} of {namespace}", _sorted(listed))
            for name in (entity["name"] for entity in listed[kind]):
                node = f"{kind[:-1]}:{namespace}:{name}"
                yield ask("/api/v1/lineage", nodeId=node)
                yield ask("/api/v1/column-lineage", nodeId=node, withDownstream=True)
                path = path_of(kind, namespace, name)
                if kind == "datasets":
                    yield ask(f"{path}/versions", limit=1000)
                    continue
                yield ask(f"{path}/versions", limit=1000)
                runs = server.json(f"{path}/runs", limit=1000)
                yield (f"{path}/runs", _sorted(runs))
                for run in runs["runs"]:
                    yield ask("/api/v1/jobs/runs/" + quote(run["id"], safe="").replace(".", "%2E"))


# Lists whose order says nothing.
_SETS = {"inputs", "outputs", "inEdges", "outEdges", "inputFields", "inputDatasetVersions", "outputDatasetVersions"}


def _sorted(answer: Any) -> Any:
    if isinstance(answer, list):
        return [_sorted(item) for item in answer]
    if not isinstance(answer, dict):
        return answer
    sets = {key: sorted(map(_sorted, answer[key]), key=json.dumps) for key in _SETS & answer.keys()}
    return {key: value if key == "facets" else _sorted(value) for key, value in answer.items()} | sets


def differences(before: Any, after: Any, at: str = "") -> list[str]:
    """Where two answers differ, leaf by leaf; the first few, short enough to read."""
    if before == after:
        return []
    if isinstance(before, dict) and isinstance(after, dict):
        pairs = [(f"{at}/{k}", before.get(k), after.get(k)) for k in {**before, **after}]
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = [(f"{at}/{i}", b, a) for i, (b, a) in enumerate(zip(before, after, strict=True))]
    else:
        return [f"{at}: {str(before)[:300]} → {str(after)[:300]}"]
    lines: list[str] = []
    for path, one, other in pairs:
        lines += differences(one, other, path)
        if len(lines) >= 8:
            break
    return lines


def assert_error(answer: httpx.Response, code: int, path: str | None = None) -> dict[str, Any]:
    """Every error has the one shape; where a field is to blame, its path is named."""
    body: dict[str, Any] = answer.json()
    assert (answer.status_code, body["code"]) == (code, code), answer.text[:500]
    assert set(body) == {"code", "message", "details", "errors"}
    assert body["message"]
    assert all(set(problem) == {"path", "message"} for problem in body["errors"])
    if path is not None:
        assert [problem["path"] for problem in body["errors"]] == [path]
    return body
