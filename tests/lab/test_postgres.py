"""The Iceberg catalog on a PostgreSQL of the lab's own."""

import ctypes
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from headwater.lab import health
from tests.integration.support import wait_for
from tests.lab.clients import create_database
from tests.support.lab import Lab

CATALOG = ("--services", "metastore")


@pytest.fixture
def lab() -> Iterator[Lab]:
    # Where everybody can enter: root's PostgreSQL runs as somebody else.
    with tempfile.TemporaryDirectory(prefix="headwater-lab-", dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)
        made = Lab(Path(folder) / "lab")
        yield made
        made.run("down")
        assert not made.processes()


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
def test_what_the_catalog_knows_is_in_postgresql_and_survives_a_kill(lab: Lab) -> None:
    lab.up(*CATALOG, "--metastore", "postgres")
    assert [s["name"] for s in lab.status()["services"]] == ["postgres", "s3", "metastore"]
    assert {s["health"] for s in lab.status()["services"]} == {"ok"}
    create_database(lab, "sales")
    assert not (lab.data / "metastore" / "db").exists()
    lab.kill_supervisor()
    wait_for(lambda: not lab.processes(), "the end of everything")
    lab.up(*CATALOG)  # it is what it was
    names = health.ThriftCall("metastore", "get_all_databases", "sales")
    assert health.problem(names, lab.state()["values"]) is None
    lab.down()
    other = lab.run("up", *CATALOG, "--metastore", "derby")
    assert (other.returncode, "is on postgres, which cannot change" in other.stderr) == (1, True)


def test_a_preparation_that_was_broken_off_is_done_again(lab: Lab) -> None:
    lab.up(*CATALOG, "--metastore", "postgres")
    lab.down()
    (lab.data / "metastore" / ".prepared").unlink()  # its tables are there, but nobody knows whether all
    lab.up(*CATALOG)
    create_database(lab, "sales")
