"""Creates connectors of the pipeline in Kafka Connect, keeps them running, and stops them at the end.
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
from pipeline.console import log
from pipeline.schemas import ORDERS
from pipeline.topics import KafkaUnavailable

CHECK_INTERVAL = 5.0  # seconds between two checks of the tasks
_PATIENCE = 120.0  # for Connect, at the start: it may be about to come up, or rebalance
_LAST_EVENTS = 15.0  # for the watcher or the SMT to report that the connectors have stopped
_CONFLICT, _NOT_FOUND = 409, 404  # Connect rebalances; it does not know a new connector yet


class ConnectUnavailable(Exception):
    """No usable answer. It may be back in a moment."""


class Connect:
    def __init__(self, url: str) -> None:
        self.url = url
        self._client = httpx.Client(base_url=url, timeout=60, trust_env=False)

    def request(self, method: str, path: str, body: Any = None) -> Any:
        try:
            response = self._client.request(method, path, json=body)
        except httpx.HTTPError as e:
            raise ConnectUnavailable(f"Kafka Connect at {self.url} does not answer: {e}") from e
        if response.status_code == _CONFLICT or response.is_server_error:
            raise ConnectUnavailable(f"Kafka Connect at {self.url} is busy: {response.text[:500]}")
        if response.status_code == _NOT_FOUND:
            return None
        if response.is_error:
            raise SystemExit(f"Kafka Connect rejects {method} {path}: {response.text}")
        return response.json() if response.content else None


def start(connect: Connect, name: str, options: dict[str, str]) -> None:
    connect.request("PUT", f"/connectors/{name}/config", options)
    connect.request("PUT", f"/connectors/{name}/resume")


def restart_failed(connect: Connect, name: str) -> None:
    """Restarts what has failed, and logs why."""
    status = connect.request("GET", f"/connectors/{name}/status")
    parts = [status["connector"], *status["tasks"]] if status else []
    if failed := [part for part in parts if part["state"] == "FAILED"]:
        log(f"{name} failed, restarting it: {failed[0].get('trace', '')}")
        connect.request("POST", f"/connectors/{name}/restart?includeTasks=true&onlyFailed=true")


def stop(connect: Connect, names: Sequence[str], headwater: str, namespace: str) -> None:
    """Stops them without deleting: the next start continues where they were. Returns when their end is reported."""
    for name in names:
        connect.request("PUT", f"/connectors/{name}/stop")
    until = time.monotonic() + _LAST_EVENTS
    while headwater and time.monotonic() < until and any(_is_running(headwater, namespace, name) for name in names):
        time.sleep(0.5)


def _is_running(headwater: str, namespace: str, name: str) -> bool:
    path = f"{headwater}/api/v1/namespaces/{quote(namespace, safe='')}/jobs/{name}"
    try:
        response = httpx.get(path, timeout=5, trust_env=False)
        latest = response.json().get("latestRun") if response.is_success else None
    except httpx.HTTPError:
        return False
    return latest is not None and latest["state"] == "RUNNING"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="pipeline.connectors", description=__doc__)
    parser.add_argument("name", nargs="+", choices=NAMES, help=f"which ones: {', '.join(NAMES)}")
    parser.add_argument("--rate", type=float, default=100, help="orders a second (100)")
    parser.add_argument("--partitions", type=int, default=2, help="of topics that have to be created (2)")
    parser.add_argument("--jobs", default="kafka-connect", metavar="NAMESPACE", help="of their jobs (kafka-connect)")
    options, places = settings.read(parser, arguments)
    connect = Connect(places.connect)
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    waiting, until, problem = list(options.name), time.monotonic() + _PATIENCE, ""
    while not stopped.is_set():
        try:
            topics.ensure(places.kafka, [ORDERS, *DEAD_LETTERS.values()], options.partitions)
            while waiting:
                start(connect, waiting[0], config(waiting[0], places, options.rate))
                log(f"{waiting.pop(0)} is started")
            for name in options.name:
                restart_failed(connect, name)
            problem = ""
        except (ConnectUnavailable, KafkaUnavailable) as e:
            if waiting and time.monotonic() > until:
                print(f"{e}. Is the lab up (`headwater lab status`)?", file=sys.stderr, flush=True)
                return 1
            if not problem:
                log(str(e))
            problem = str(e)
        stopped.wait(1 if waiting else CHECK_INTERVAL)
    try:
        stop(connect, options.name, places.headwater, options.jobs)
    except ConnectUnavailable as e:
        log(str(e))
    return 0


if __name__ == "__main__":
    sys.exit(main())
