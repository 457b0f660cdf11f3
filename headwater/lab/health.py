"""Questions that only a working service can answer. A check returns when the answer is right, else it raises."""

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
_RECENT = 60.0  # seconds; a stream that has done nothing for so long is not running


class Unwell(Exception):
    """The service is not, or not yet, what it should be."""


class Check(Protocol):
    def __call__(self, values: Mapping[str, str]) -> None:
        """`values` has the host, the ports by name, keys, the lab's folder and when the service was started."""
        ...


def ask(check: Check, values: Mapping[str, str]) -> str | None:
    """What is wrong, in words; None when all is well."""
    try:
        check(values)
    except (Unwell, kafka.Odd, thrift.Odd, msgspec.MsgspecError, OSError, httpx.HTTPError, EOFError, struct.error) as e:
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
            raise Unwell(f"{self.path} answers {answer.status_code}")
        if not answer.headers.get("content-type", "").startswith(("application/json", "application/vnd.")):
            raise Unwell(f"{self.path} answers, but not with JSON")


@dataclass(frozen=True)
class S3Bucket:
    """The bucket is there for whoever has the key."""

    port: str
    bucket: str

    def __call__(self, values: Mapping[str, str]) -> None:
        endpoint = f"http://{values['host']}:{values[self.port]}"
        key, secret = values["s3-key"], values["s3-secret"]
        answer = s3.request("GET", endpoint, f"/{self.bucket}", key=key, secret=secret, timeout=_TIMEOUT)
        if answer.status_code != httpx.codes.OK:
            raise Unwell(f"bucket {self.bucket} answers {answer.status_code}")


@dataclass(frozen=True)
class KafkaMetadata:
    """The broker knows itself and a controller: topics can be made."""

    port: str

    def __call__(self, values: Mapping[str, str]) -> None:
        found = kafka.metadata(values["host"], int(values[self.port]))
        if found.brokers < 1 or found.controller < 0:
            raise Unwell("the broker has no controller yet")


@dataclass(frozen=True)
class KafkaRecords:
    """Somebody writes to the topic: there are records of the last minute, and of this process's time."""

    port: str
    topic: str

    def __call__(self, values: Mapping[str, str]) -> None:
        since = max(float(values["started"]), time.time() - _RECENT)
        if kafka.first_since(values["host"], int(values[self.port]), self.topic, since) is None:
            raise Unwell(f"nothing new in the topic {self.topic}")


@dataclass(frozen=True)
class ThriftCall:
    """A method without arguments that returns a list of names."""

    port: str
    method: str
    among: str

    def __call__(self, values: Mapping[str, str]) -> None:
        with socket.create_connection((values["host"], int(values[self.port])), timeout=_TIMEOUT) as connection:
            names = thrift.call(connection, self.method)
        if not isinstance(names, list) or self.among not in names:
            raise Unwell(f"{self.method} does not name {self.among}")


@dataclass(frozen=True)
class Postgres:
    """The server takes clients: it asks for a password, instead of saying that it is starting up or going down."""

    port: str

    def __call__(self, values: Mapping[str, str]) -> None:
        hello = struct.pack(">I", 3 << 16) + b"user\0headwater\0database\0postgres\0\0"
        with socket.create_connection((values["host"], int(values[self.port])), timeout=_TIMEOUT) as connection:
            connection.sendall(struct.pack(">I", len(hello) + 4) + hello)
            answer = connection.recv(1024)
        if answer[:1] == b"E":
            # Fields of one letter and a text each; M is the message.
            said = {part[:1]: part[1:] for part in answer[5:].split(b"\0")}
            raise Unwell(said.get(b"M", b"an error").decode(errors="replace"))
        if answer[:1] != b"R":
            raise Unwell("answers in some other protocol")


@dataclass(frozen=True)
class IcebergRows:
    """The table is there and has rows."""

    database: str
    table: str

    def __call__(self, values: Mapping[str, str]) -> None:
        found = iceberg.rows(values, self.database, self.table)
        if not found:
            raise Unwell(f"the table {self.database}.{self.table} " + ("is not there" if found is None else "is empty"))


class _Part(msgspec.Struct, frozen=True):
    state: str


class _Status(msgspec.Struct, frozen=True):
    connector: _Part
    tasks: list[_Part]

    @property
    def state(self) -> str:
        """RUNNING only if all of it runs."""
        odd = (part.state for part in (self.connector, *self.tasks) if part.state != "RUNNING")
        return next(odd, "RUNNING" if self.tasks else "UNASSIGNED")


class _Connector(msgspec.Struct, frozen=True):
    status: _Status


class _Job(msgspec.Struct, frozen=True):
    latest: _Part | None = msgspec.field(name="latestRun", default=None)


def _connectors(values: Mapping[str, str], port: str) -> dict[str, str]:
    """Each with its state."""
    url = f"http://{values['host']}:{values[port]}/connectors?expand=status"
    answer = httpx.get(url, timeout=_TIMEOUT, trust_env=False).raise_for_status()
    found = msgspec.json.decode(answer.content, type=dict[str, _Connector])
    return {name: connector.status.state for name, connector in found.items()}


@dataclass(frozen=True)
class Connectors:
    """They and their tasks run."""

    port: str
    names: Sequence[str]

    def __call__(self, values: Mapping[str, str]) -> None:
        found = _connectors(values, self.port)
        for name in self.names:
            if found.get(name) != "RUNNING":
                raise Unwell(f"{name} is {found.get(name, 'not there')}")


@dataclass(frozen=True)
class Told:
    """Every connector that runs is told to run."""

    port: str
    headwater: str
    namespace: str

    def __call__(self, values: Mapping[str, str]) -> None:
        url = f"http://{values['host']}:{values[self.headwater]}/api/v1/namespaces/{self.namespace}/jobs"
        for name, state in _connectors(values, self.port).items():
            if state == "RUNNING":
                answer = httpx.get(f"{url}/{name}", timeout=_TIMEOUT, trust_env=False)
                job = msgspec.json.decode(answer.content, type=_Job) if answer.is_success else _Job()
                if job.latest is None or job.latest.state != "RUNNING":
                    raise Unwell(f"{name} runs, and is not told to")


@dataclass(frozen=True)
class Batches:
    """Each streaming query has finished a micro-batch since the start, and goes on to do so as long as there is
    something to read. Its checkpoint tells, where Spark notes the batches that were finished."""

    checkpoints: str
    queries: Sequence[str]
    port: str
    topic: str

    def __call__(self, values: Mapping[str, str]) -> None:
        for query in self.queries:
            finished = _latest(Path(values["folder"]) / self.checkpoints / query / "commits")
            if finished is None or finished < float(values["started"]):
                raise Unwell(f"{query} has not finished a batch yet")
            if finished < time.time() - _RECENT:
                waits = kafka.first_since(values["host"], int(values[self.port]), self.topic, finished + 1)
                if waits is not None and waits < time.time() - _RECENT:
                    raise Unwell(f"{query} has not finished a batch for {time.time() - finished:.0f} s")


def _latest(folder: Path) -> float | None:
    """When the newest batch was noted there."""
    try:
        numbers = [int(path.name) for path in folder.iterdir() if path.name.isdecimal()]
        return (folder / str(max(numbers))).stat().st_mtime if numbers else None
    except FileNotFoundError:  # not made yet, or tidied up at this moment
        return None
