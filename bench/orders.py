"""Orders for a topic, made by the pipeline's own load tool."""

import subprocess
import sys


def produce(kafka: str, registry: str, rate: float, *more: str) -> None:
    """Returns when all are delivered."""
    command = [
        sys.executable,
        "-m",
        "pipeline.produce",
        "--kafka",
        kafka,
        "--registry",
        registry,
        "--rate",
        f"{rate:g}",
    ]
    subprocess.run([*command, *more], check=True, stdout=subprocess.DEVNULL)


def produce_at_once(kafka: str, registry: str, count: int) -> None:
    produce(kafka, registry, 1_000_000, "--count", str(count))
