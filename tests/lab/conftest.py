"""Labs on whatever ports are free, with their programs from the user's cache."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.register_assert_rewrite("tests.support.lab")

from tests.support.lab import Lab  # noqa: E402

Make = Callable[[str], Lab]


@contextmanager
def _labs(folder: Path) -> Iterator[Make]:
    labs: list[Lab] = []

    def start(name: str) -> Lab:
        labs.append(Lab(folder / name))
        return labs[-1]

    yield start
    for lab in labs:
        lab.run("down")
        assert not lab.processes()


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    with _labs(tmp_path) as make:
        yield make


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """One whole lab for all tests of a module."""
    with _labs(tmp_path_factory.mktemp("labs")) as make:
        made = make("whole")
        made.up()
        yield made
