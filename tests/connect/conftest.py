"""A real Connect worker with real plugins, beside a real Kafka, registry and Headwater; and a watcher of it."""

import shutil
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.lab.folder import claim
from tests.connect.cluster import Cluster, Watching
from tests.support.lab import Lab

PLUGINS = Path(sys.prefix) / "connect-plugins"


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """One for all tests: each makes connectors and topics of its own."""
    lab = Lab(tmp_path_factory.mktemp("labs") / "lab")
    plugins(lab)
    lab.up("--services", "connect,registry,s3,headwater")
    made = Cluster(lab, tmp_path_factory.mktemp("files"))
    yield made
    made.end()
    lab.run("down")
    assert not lab.processes()


@pytest.fixture
def watcher(cluster: Cluster, tmp_path: Path) -> Iterator[Watching]:
    watching = Watching(cluster, tmp_path)
    yield watching
    watching.stop()


def plugins(lab: Lab) -> None:
    """Gives them to the worker of a lab that is not up yet."""
    claim(lab.data)
    folder = lab.data / "connect" / "plugins"
    assert PLUGINS.is_dir(), "the plugins are not there: run `make test-connect`"
    shutil.copytree(PLUGINS / "mirror", folder / "mirror")
    with tarfile.open(next(PLUGINS.glob("debezium-*.tar.gz"))) as archive:
        archive.extractall(folder, filter="data")
    for pattern in ("kafka-clients-*.jar", "connect-api-*.jar"):  # the worker has its own
        for file in (folder / "debezium-connector-postgres").glob(pattern):
            file.unlink()
