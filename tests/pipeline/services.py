"""The services that the pipeline needs, as three labs, so that each of them may go away while the others stay."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from pathlib import Path

from pipeline.settings import Settings
from tests.support.lab import Lab
from tests.support.server import free_port

LABS = {"kafka": ("kafka",), "registry": ("registry",), "store": ("s3", "metastore"), "headwater": ("headwater",)}


def places_on_free_ports(folder: Path, jars: Path) -> Settings:
    host = "127.0.0.1"
    return Settings(
        kafka=f"{host}:{free_port()}",
        registry=f"http://{host}:{free_port()}/apis/ccompat/v7",
        s3=f"http://{host}:{free_port()}",
        metastore=f"thrift://{host}:{free_port()}",
        checkpoints=str(folder / "checkpoints"),
        jars=str(jars),
    )


def environment(places: Settings, **others: str) -> dict[str, str]:
    """For programs that read their settings from variables."""
    variables = {field.metadata["variable"]: getattr(places, field.name) for field in fields(Settings)}
    return {**os.environ, **variables, **others}


def _port(address: str) -> str:
    return address.rpartition(":")[2].partition("/")[0]


class Services:
    def __init__(self, places: Settings) -> None:
        self._folder = Path(places.checkpoints).parent
        self._ports = {
            "kafka": f"kafka={_port(places.kafka)}",
            "registry": f"registry={_port(places.registry)}",
            "store": f"s3={_port(places.s3)},metastore={_port(places.metastore)}",
        }
        self._labs = {name: Lab(self._folder / name) for name in self._ports}

    def start(self, name: str) -> None:
        self._labs[name].up("--services", ",".join(LABS[name]), "--ports", self._ports[name])

    def stop(self, name: str) -> None:
        self._labs[name].down()

    def up(self) -> None:
        with ThreadPoolExecutor() as pool:
            list(pool.map(self.start, self._labs))

    def down(self) -> None:
        for lab in self._labs.values():
            lab.run("down")
            assert not lab.processes()


def run(module: str, places: Settings, *options: str, timeout: float = 300) -> "subprocess.CompletedProcess[str]":
    """A program of the pipeline, to its end."""
    return subprocess.run(
        [sys.executable, "-m", f"pipeline.{module}", *options],
        env=environment(places),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def without_lineage(places: Settings) -> Settings:
    return replace(places, headwater="")
