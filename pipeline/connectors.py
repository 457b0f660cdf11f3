"""Connectors of the pipeline in Kafka Connect: made, kept running, and stopped at the end.
`python -m pipeline.connectors orders-source`."""

import argparse
import signal
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import httpx

from pipeline import settings, topics
from pipeline.connector_configs import DEAD_LETTERS, NAMES, config
from pipeline.schemas import ORDERS
from pipeline.topics import KafkaAway

LOOK = 5.0  # seconds between two looks at the tasks
_PATIENCE = 120.0  # for Connect, at the start: it may be about to come up, or rebalance
_LAST_WORD = 15.0  # for whoever watches to tell that the connectors have stopped
_CONFLICT, _NOT_THERE = 409, 404  # Connect rebalances; it has not got so far


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


class ConnectAway(Exception):
    """No answer, or none of use."""


class Connect:
    def __init__(self, url: str) -> None:
        self.url = url
        self._client = httpx.Client(base_url=url, timeout=60, trust_env=False)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        try:
            answer = self._client.request(method, path, json=body)
        except httpx.HTTPError as e:
            raise ConnectAway(f"Kafka Connect at {self.url} does not answer: {e}") from e
        if answer.status_code == _CONFLICT or answer.is_server_error:
            raise ConnectAway(f"Kafka Connect at {self.url} is busy: {answer.text[:500]}")
        if answer.status_code == _NOT_THERE:
            return None
        if answer.is_error:
            raise SystemExit(f"Kafka Connect refuses {method} {path}: {answer.text}")
        return answer.json() if answer.content else None


def begin(connect: Connect, name: str, told: dict[str, str]) -> None:
    connect.ask("PUT", f"/connectors/{name}/config", told)
    connect.ask("PUT", f"/connectors/{name}/resume")


def mend(connect: Connect, name: str) -> None:
    """What has failed is started again, and why it failed is in the log."""
    status = connect.ask("GET", f"/connectors/{name}/status")
    parts = [status["connector"], *status["tasks"]] if status else []
    if failed := [part for part in parts if part["state"] == "FAILED"]:
        say(f"{name} failed, and is started again: {failed[0].get('trace', '')}")
        connect.ask("POST", f"/connectors/{name}/restart?includeTasks=true&onlyFailed=true")


def end(connect: Connect, names: Sequence[str], headwater: str, namespace: str) -> None:
    """Stopped, not deleted: the next start goes on where they were. Returns when their end is told."""
    for name in names:
        connect.ask("PUT", f"/connectors/{name}/stop")
    until = time.monotonic() + _LAST_WORD
    while headwater and time.monotonic() < until and any(_runs(headwater, namespace, name) for name in names):
        time.sleep(0.5)


def _runs(headwater: str, namespace: str, name: str) -> bool:
    path = f"{headwater}/api/v1/namespaces/{quote(namespace, safe='')}/jobs/{name}"
    try:
        answer = httpx.get(path, timeout=5, trust_env=False)
        latest = answer.json().get("latestRun") if answer.is_success else None
    except httpx.HTTPError:
        return False
    return latest is not None and latest["state"] == "RUNNING"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="pipeline.connectors", description=__doc__)
    parser.add_argument("name", nargs="+", choices=NAMES, help=f"which ones: {', '.join(NAMES)}")
    parser.add_argument("--rate", type=float, default=100, help="orders a second (100)")
    parser.add_argument("--partitions", type=int, default=2, help="of topics that have to be made (2)")
    parser.add_argument("--jobs", default="kafka-connect", metavar="NAMESPACE", help="of their jobs (kafka-connect)")
    options, places = settings.read(parser, arguments)
    connect = Connect(places.connect)
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    waiting, until, trouble = list(options.name), time.monotonic() + _PATIENCE, ""
    while not stopped.is_set():
        try:
            topics.ensure(places.kafka, [ORDERS, *DEAD_LETTERS.values()], options.partitions)
            while waiting:
                begin(connect, waiting[0], config(waiting[0], places, options.rate))
                say(f"{waiting.pop(0)} is told to run")
            for name in options.name:
                mend(connect, name)
            trouble = ""
        except (ConnectAway, KafkaAway) as e:
            if waiting and time.monotonic() > until:
                print(f"{e}. Is the lab up (`headwater lab status`)?", file=sys.stderr, flush=True)
                return 1
            if not trouble:
                say(str(e))
            trouble = str(e)
        stopped.wait(1 if waiting else LOOK)
    try:
        end(connect, options.name, places.headwater, options.jobs)
    except ConnectAway as e:
        say(str(e))
    return 0


if __name__ == "__main__":
    sys.exit(main())
