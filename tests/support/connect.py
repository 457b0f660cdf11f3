"""A server that answers like Kafka Connect, for what a real one cannot be made to do at will: faults of all kinds,
and a thousand connectors."""

import json
import socket
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit


class FakeConnect:
    """`connectors` may be changed at any time. `fault`: a status to answer with, or `hang`, or `cut`."""

    def __init__(self, cluster: str = "cluster-1", port: int = 0) -> None:
        self.connectors: dict[str, dict[str, Any]] = {}
        self.topics: dict[str, list[str]] = {}
        self.subjects: dict[str, list[dict[str, Any]]] = {}
        self.fault: int | str | None = None
        self.cluster = cluster
        self.requests: list[str] = []
        self.body: bytes | None = None  # of the list, where it is too large to be made each time
        self._server: ThreadingHTTPServer | None = None
        self._open: set[Any] = set()
        self.start(port)

    @property
    def worker(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.worker}"

    def start(self, port: int = 0) -> None:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                outer.answer(self)

            def setup(self) -> None:
                super().setup()
                outer._open.add(self.connection)

            def finish(self) -> None:
                outer._open.discard(self.connection)
                super().finish()

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

        self._server = Server(("127.0.0.1", port), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def kill(self) -> None:
        """Nobody listens any more."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def add(self, name: str, config: dict[str, str], *states: str, kind: str = "sink", state: str = "RUNNING") -> None:
        tasks = []
        for number, described in enumerate(states or ("RUNNING",)):
            task_state, _, worker = described.partition("@")
            task = {"id": number, "state": task_state, "worker_id": worker or self.worker}
            tasks.append(task | ({"trace": "org.X: boom\n\tat y"} if task_state == "FAILED" else {}))
        connector = {"state": state, "worker_id": self.worker}
        self.connectors[name] = {
            "status": {"name": name, "connector": connector, "tasks": tasks, "type": kind},
            "info": {"name": name, "config": {"name": name, **config}, "tasks": [], "type": kind},
        }

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        path = unquote(urlsplit(handler.path).path)
        self.requests.append(path)
        if self.fault == "hang":
            time.sleep(60)
        if self.fault == "cut":
            handler.close_connection = True
            return
        if self.fault is not None:
            self._write(handler, int(self.fault), {"error_code": self.fault, "message": "Cannot complete request"})
            return
        self._write(handler, *self._resource(handler, path))

    def _resource(self, handler: BaseHTTPRequestHandler, path: str) -> tuple[int, Any]:
        parts = path.strip("/").split("/")
        if path == "/":
            return 200, {"version": "4.3.1", "commit": "x", "kafka_cluster_id": self.cluster}
        if parts == ["connectors"]:
            if "expand" not in handler.path:
                return 200, sorted(self.connectors)
            return 200, self.body if self.body is not None else self.connectors
        if parts[0] == "connectors" and parts[-1] == "topics":
            return 200, {parts[1]: {"topics": self.topics.get(parts[1], [])}}
        if parts == ["subjects"]:
            return 200, sorted(self.subjects)
        if parts[0] == "subjects" and parts[1] in self.subjects:
            versions = self.subjects[parts[1]]
            number = len(versions) if parts[-1] == "latest" else int(parts[-1])
            return 200, {"subject": parts[1], "version": number, "id": number, **versions[number - 1]}
        return 404, {"error_code": 404, "message": "not found"}

    def _write(self, handler: BaseHTTPRequestHandler, status: int, content: Any) -> None:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)
