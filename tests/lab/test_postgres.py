"""The Iceberg catalog on a PostgreSQL of the lab's own."""

import ctypes
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from headwater.lab import health
from tests.lab.clients import create_database
from tests.support.lab import Lab, make_labs
from tests.support.server import wait_for

CATALOG = ("--services", "metastore")


@pytest.fixture
def catalog_lab() -> Iterator[Lab]:
    # Where everybody can enter: root's PostgreSQL runs as somebody else.
    with tempfile.TemporaryDirectory(prefix="headwater-lab-", dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)
        with make_labs(Path(folder)) as make:
            yield make("lab")


@pytest.fixture
def nobody_waits() -> Iterator[None]:
    """As in a container without an init: what was killed stays as a zombie, here until the test is over."""
    subreaper = 36  # PR_SET_CHILD_SUBREAPER: orphans become ours, and we do not ask for them
    ctypes.CDLL(None).prctl(subreaper, 1, 0, 0, 0)
    yield
    ctypes.CDLL(None).prctl(subreaper, 0, 0, 0, 0)
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


@pytest.mark.usefixtures("nobody_waits")
def test_what_the_catalog_knows_is_in_postgresql_and_survives_a_kill(catalog_lab: Lab) -> None:
    catalog_lab.up(*CATALOG, "--metastore", "postgres")
    assert [s["name"] for s in catalog_lab.status()["services"]] == ["postgres", "s3", "metastore"]
    assert {s["health"] for s in catalog_lab.status()["services"]} == {"ok"}
    create_database(catalog_lab, "sales")
    assert not (catalog_lab.data / "metastore" / "db").exists()
    catalog_lab.kill_supervisor()
    wait_for(lambda: not catalog_lab.processes(), "the end of everything")
    catalog_lab.up(*CATALOG)  # it is what it was
    names = health.ThriftCall("metastore", "get_all_databases", "sales")
    assert health.problem(names, catalog_lab.state()["values"]) is None
    catalog_lab.down()
    other = catalog_lab.run("up", *CATALOG, "--metastore", "derby")
    assert (other.returncode, "is on postgres, which cannot change" in other.stderr) == (1, True)


def test_a_preparation_that_was_broken_off_is_done_again(catalog_lab: Lab) -> None:
    catalog_lab.up(*CATALOG, "--metastore", "postgres")
    catalog_lab.down()
    (catalog_lab.data / "metastore" / ".prepared").unlink()  # its tables are there, but nobody knows whether all
    catalog_lab.up(*CATALOG)
    create_database(catalog_lab, "sales")
