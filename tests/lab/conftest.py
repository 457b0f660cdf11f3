"""One whole lab for all tests of a module, on whatever ports are free, with its programs from the user's cache."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.register_assert_rewrite("tests.support.lab")

from tests.support.lab import Lab  # noqa: E402

Make = Callable[[str], Lab]


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Make]:
    labs: list[Lab] = []
    folder: Path = tmp_path_factory.mktemp("labs")

    def start(name: str) -> Lab:
        labs.append(Lab(folder / name))
        return labs[-1]

    yield start
    for lab in labs:
        lab.run("down")
        assert not lab.processes()


@pytest.fixture(scope="module")
def lab(make: Make) -> Lab:
    made = make("whole")
    made.up()
    return made
