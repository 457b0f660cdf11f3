"""The Connect watcher with a thousand connectors of three tasks. `python -m bench.watch_connect` prints its figures."""

import asyncio
import json
import multiprocessing
import statistics
import subprocess
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from bench.report import Figure, Progress, at_most, info

CONNECTORS, TASKS, POLLS = 1000, 3, 10


def watching(progress: Progress) -> list[Figure]:
    """In a separate process, so that its memory is the watcher's."""
    progress(f"watching {CONNECTORS} connectors")
    done = subprocess.run([sys.executable, "-m", "bench.watch_connect"], capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    return [
        at_most(
            f"watch: a poll of {CONNECTORS:,} connectors × {TASKS} tasks",
            result["poll"],
            2,
            f"{result['poll']:.2f} s",
            "2 s",
        ),
        info("watch: the first poll, with lineage and schemas", f"{result['first']:.2f} s", result["first"]),
        at_most("watch: memory", result["megabytes"], 100, f"{result['megabytes']:.0f} MB", "100 MB"),
        at_most("watch: events of polls without changes", result["idle"], 0, str(result["idle"]), "0"),
        at_most("watch: events when ten connectors change", result["changed"], 10, str(result["changed"]), "10"),
    ]


def _serve(pipe: Connection) -> None:
    """Connect and its registry, simulated; changes ten connectors on request."""
    from tests.support.connect import FakeConnect

    fake = FakeConnect()
    fields = [{"name": f"field_{n}", "type": "string"} for n in range(20)]
    schema = json.dumps({"type": "record", "name": "R", "fields": fields})
    for n in range(CONNECTORS):
        config = {
            "connector.class": "io.confluent.connect.s3.S3SinkConnector",
            "topics": f"topic-{n}",
            "s3.bucket.name": "archive",
            "transforms": "a,b",
            "transforms.a.type": "org.apache.kafka.connect.transforms.ReplaceField$Value",
            "transforms.a.renames": "field_0:id",
            "transforms.b.type": "org.apache.kafka.connect.transforms.RegexRouter",
            "transforms.b.regex": "topic-(.*)",
            "transforms.b.replacement": "t$1",
            **{f"some.other.option.{m}": f"value {m}" for m in range(20)},
        }
        fake.add(f"connector-{n}", config, *["RUNNING"] * TASKS)
        fake.subjects[f"topic-{n}-value"] = [{"schema": schema}]
    fake.body = json.dumps(fake.connectors).encode()
    pipe.send((fake.url, len(fake.body)))
    while pipe.recv() == "change":
        for n in range(10):
            fake.connectors[f"connector-{n}"]["status"]["tasks"][0] |= {"state": "FAILED", "trace": "boom"}
        fake.body = json.dumps(fake.connectors).encode()
        pipe.send(None)


async def _watch(url: str, pipe: Connection) -> dict[str, Any]:
    from headwater.connect.rest import Connect
    from headwater.watch.connect import mapping
    from headwater.watch.connect.watcher import Options, Watcher
    from headwater.watch.registry.client import Registry

    sent = 0

    def send(_: object) -> None:
        nonlocal sent
        sent += 1

    connect, registry = Connect(url, timeout=60), Registry(url, timeout=60, every=3600)
    watcher = Watcher(connect, send, mapping.load(), Options(kafka="broker:9092", heartbeat=3600), registry=registry)

    async def poll(whole: bool = False) -> float:
        began = time.perf_counter()
        await watcher.poll(whole=whole)
        return time.perf_counter() - began

    first = await poll(whole=True)
    await poll(whole=True)
    assert sent >= CONNECTORS
    assert all(
        c.lineage and len(next(iter(c.lineage.outputs.values())).columns) == 20 for c in watcher.connectors.values()
    )
    sent = 0
    polls = [await poll() for _ in range(POLLS)]
    idle, sent = sent, 0
    pipe.send("change")
    pipe.recv()
    await poll()
    await connect.close()
    await registry.close()
    return {"first": first, "poll": statistics.median(polls), "idle": idle, "changed": sent, "megabytes": _megabytes()}


def _megabytes() -> float:
    """The peak of this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) / 1024


def main() -> None:
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(there,), daemon=True)
    server.start()
    url, _ = here.recv()
    try:
        print(json.dumps(asyncio.run(_watch(url, here))))
    finally:
        here.send("end")
        server.join(10)


if __name__ == "__main__":
    main()
