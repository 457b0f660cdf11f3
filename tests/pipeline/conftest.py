"""One Spark session, and one set of real services, for all tests of this folder."""

import argparse
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.register_assert_rewrite("tests.pipeline.services", "tests.pipeline.truth")

from headwater.lab import jars  # noqa: E402
from pipeline.settings import Settings  # noqa: E402
from tests.pipeline.services import Services, places_on_free_ports  # noqa: E402


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """PySpark leaves sockets to the garbage collector."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))
            item.add_marker(pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"))


@pytest.fixture(scope="session")
def places(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Where everything will be. Nothing is started for it."""
    programs = jars.home(jars.cache())
    jars.ensure(programs, [jars.SPARK], os.environ, lambda *_: None)
    return places_on_free_ports(tmp_path_factory.mktemp("pipeline"), programs / jars.SPARK)


@pytest.fixture(scope="session")
def spark(places: Settings) -> Iterator[Any]:
    from pipeline import session

    parser = argparse.ArgumentParser()
    session.add_options(parser)
    fresh = {f"spark.sql.catalog.{session.CATALOG}.cache-enabled": "false"}  # tables as they are now
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = session.make("pipeline-tests", places, parser.parse_args([]), fresh)
    yield made
    made.stop()


@pytest.fixture(scope="session")
def services(places: Settings) -> Iterator[Services]:
    """Kafka, the registry, and S3 with the catalog: each may go away and come back."""
    started = Services(places)
    started.up()
    yield started
    started.down()
