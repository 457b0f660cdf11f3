"""Health checks: questions that only a working service can answer. A check raises if the answer is wrong."""

import socket
import struct
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import httpx
import msgspec

from headwater.lab import iceberg, kafka, s3, thrift

_TIMEOUT = 5.0
_RECENT = 60.0  # seconds; a stream that did nothing for longer is not running


class Unhealthy(Exception):
    """The service does not work, or not yet."""


class Check(Protocol):
    def __call__(self, values: Mapping[str, str]) -> None:
        """`values` has the host, ports by name, keys, the lab's folder, and the start time of the service."""
        ...


def problem(check: Check, values: Mapping[str, str]) -> str | None:
    """What is wrong; None if the service is healthy."""
    try:
        check(values)
    except (
        Unhealthy,
        kafka.ProtocolError,
        thrift.ProtocolError,
        msgspec.MsgspecError,
        OSError,
        httpx.HTTPError,
        EOFError,
        struct.error,
    ) as e:
        return str(e) or type(e).__name__
    return None


@dataclass(frozen=True)
class Http:
    port: str
    path: str

    def __call__(self, values: Mapping[str, str]) -> None:
        url = f"http://{values['host']}:{values[self.port]}{self.path}"
        answer = httpx.get(url, timeout=_TIMEOUT, trust_env=False)
        if answer.status_code != httpx.codes.OK:
            raise Unhealthy(f"{self.path} answers {answer.status_code}")
        if not answer.headers.get("content-type", "").startswith(("application/json", "application/vnd.")):
            raise Unhealthy(f"{self.path} answers, but not with JSON")


@dataclass(frozen=True)
class S3Bucket:
    """The bucket exists, and the key opens it."""

    port: str
    bucket: str

    def __call__(self, values: Mapping[str, str]) -> None:
        endpoint = f"http://{values['host']}:{values[self.port]}"
        key, secret = values["s3-key"], values["s3-secret"]
        answer = s3.request("GET", endpoint, f"/{self.bucket}", key=key, secret=secret, timeout=_TIMEOUT)
        if answer.status_code != httpx.codes.OK:
            raise Unhealthy(f"bucket {self.bucket} answers {answer.status_code}")


@dataclass(frozen=True)
class KafkaMetadata:
    """The broker knows itself and a controller: topics can be created."""

    port: str

    def __call__(self, values: Mapping[str, str]) -> None:
        metadata = kafka.metadata(values["host"], int(values[self.port]))
        if metadata.brokers < 1 or metadata.controller < 0:
            raise Unhealthy("the broker has no controller yet")


@dataclass(frozen=True)
class KafkaRecords:
    """The topic has records from the last minute, written after the service started."""

    port: str
    topic: str

    def __call__(self, values: Mapping[str, str]) -> None:
        since = max(float(values["started"]), time.time() - _RECENT)
        if kafka.first_since(values["host"], int(values[self.port]), self.topic, since) is None:
            raise Unhealthy(f"no new records in topic {self.topic}")


@dataclass(frozen=True)
class ThriftCall:
    """A method without arguments that returns a list of names."""

    port: str
    method: str
    expected: str

    def __call__(self, values: Mapping[str, str]) -> None:
        with socket.create_connection((values["host"], int(values[self.port])), timeout=_TIMEOUT) as connection:
            names = thrift.call(connection, self.method)
        if not isinstance(names, list) or self.expected not in names:
            raise Unhealthy(f"{self.method} does not list {self.expected}")


@dataclass(frozen=True)
class Postgres:
    """The server accepts clients: it asks for a password, and does not answer that it is starting or shutting down."""

    port: str

    def __call__(self, values: Mapping[str, str]) -> None:
        hello = struct.pack(">I", 3 << 16) + b"user\0headwater\0database\0postgres\0\0"
        with socket.create_connection((values["host"], int(values[self.port])), timeout=_TIMEOUT) as connection:
            connection.sendall(struct.pack(">I", len(hello) + 4) + hello)
            answer = connection.recv(1024)
        if answer[:1] == b"E":
            # Fields of one letter and a text each; M is the message.
            fields = {part[:1]: part[1:] for part in answer[5:].split(b"\0")}
            raise Unhealthy(fields.get(b"M", b"an error").decode(errors="replace"))
        if answer[:1] != b"R":
            raise Unhealthy("answers in another protocol")


@dataclass(frozen=True)
class IcebergRows:
    """The table exists and has rows."""

    database: str
    table: str

    def __call__(self, values: Mapping[str, str]) -> None:
        rows = iceberg.rows(values, self.database, self.table)
        if not rows:
            raise Unhealthy(f"table {self.database}.{self.table} " + ("does not exist" if rows is None else "is empty"))


class _Part(msgspec.Struct, frozen=True):
    state: str


class _Status(msgspec.Struct, frozen=True):
    connector: _Part
    tasks: list[_Part]

    @property
    def state(self) -> str:
        """RUNNING only if the connector and all tasks run."""
        others = (part.state for part in (self.connector, *self.tasks) if part.state != "RUNNING")
        return next(others, "RUNNING" if self.tasks else "UNASSIGNED")


class _Connector(msgspec.Struct, frozen=True):
    status: _Status


class _Job(msgspec.Struct, frozen=True):
    latest: _Part | None = msgspec.field(name="latestRun", default=None)


def _connector_states(values: Mapping[str, str], port: str) -> dict[str, str]:
    url = f"http://{values['host']}:{values[port]}/connectors?expand=status"
    answer = httpx.get(url, timeout=_TIMEOUT, trust_env=False).raise_for_status()
    connectors = msgspec.json.decode(answer.content, type=dict[str, _Connector])
    return {name: connector.status.state for name, connector in connectors.items()}


@dataclass(frozen=True)
class ConnectorsRunning:
    """The connectors and all their tasks run."""

    port: str
    names: Sequence[str]

    def __call__(self, values: Mapping[str, str]) -> None:
        states = _connector_states(values, self.port)
        for name in self.names:
            if states.get(name) != "RUNNING":
                raise Unhealthy(f"{name} is {states.get(name, 'missing')}")


@dataclass(frozen=True)
class ConnectorsReported:
    """Headwater shows a running run for every connector that runs."""

    port: str
    headwater: str
    namespace: str

    def __call__(self, values: Mapping[str, str]) -> None:
        url = f"http://{values['host']}:{values[self.headwater]}/api/v1/namespaces/{self.namespace}/jobs"
        for name, state in _connector_states(values, self.port).items():
            if state == "RUNNING":
                answer = httpx.get(f"{url}/{name}", timeout=_TIMEOUT, trust_env=False)
                job = msgspec.json.decode(answer.content, type=_Job) if answer.is_success else _Job()
                if job.latest is None or job.latest.state != "RUNNING":
                    raise Unhealthy(f"{name} is RUNNING in Connect, but Headwater shows no running run")


@dataclass(frozen=True)
class Batches:
    """Each streaming query has finished a micro-batch since the start, and keeps finishing them while there is
    something to read. Spark notes finished batches in the query's checkpoint."""

    checkpoints: str
    queries: Sequence[str]
    port: str
    topic: str

    def __call__(self, values: Mapping[str, str]) -> None:
        for query in self.queries:
            finished = _latest(Path(values["folder"]) / self.checkpoints / query / "commits")
            if finished is None or finished < float(values["started"]):
                raise Unhealthy(f"{query} has not finished a batch yet")
            if finished < time.time() - _RECENT:
                oldest_unread = kafka.first_since(values["host"], int(values[self.port]), self.topic, finished + 1)
                if oldest_unread is not None and oldest_unread < time.time() - _RECENT:
                    raise Unhealthy(f"{query} has not finished a batch for {time.time() - finished:.0f} s")


def _latest(folder: Path) -> float | None:
    """When the newest batch was committed."""
    try:
        numbers = [int(path.name) for path in folder.iterdir() if path.name.isdecimal()]
        return (folder / str(max(numbers))).stat().st_mtime if numbers else None
    except FileNotFoundError:  # not created yet, or just cleaned up
        return None
