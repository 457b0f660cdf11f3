"""docs/pipeline.md names every setting, option, program and query."""

import argparse
from dataclasses import fields
from pathlib import Path

import pytest

from pipeline import session, streams
from pipeline.settings import Settings, add_options, from_options

ROOT = Path(__file__).parents[2]
DOCS = (ROOT / "docs" / "pipeline.md").read_text()


@pytest.mark.parametrize("setting", fields(Settings), ids=lambda setting: setting.name)
def test_every_setting_is_documented(setting: object) -> None:
    name, variable = setting.name, setting.metadata["variable"]  # type: ignore[attr-defined]
    assert f"`{variable}`" in DOCS
    assert f"`--{name.replace('_', '-')}`" in DOCS


def test_every_option_of_spark_and_every_query_is_documented() -> None:
    parser = argparse.ArgumentParser(add_help=False)
    session.add_options(parser)
    for action in parser._actions:
        assert action.option_strings[0] in DOCS
    for job in streams.JOBS:
        assert job.name in DOCS


def test_every_program_is_documented() -> None:
    for path in (ROOT / "pipeline").glob("*.py"):
        if "__main__" in path.read_text():
            assert f"pipeline.{path.stem}`" in DOCS


def test_options_win_over_the_environment_and_that_over_defaults() -> None:
    parser = argparse.ArgumentParser()
    add_options(parser, {"ORDERS_KAFKA": "from:1", "ORDERS_S3": "", "ORDERS_ARCHIVE": "s3://other/"})
    settings = from_options(parser.parse_args(["--kafka", "given:2"]))
    assert (settings.kafka, settings.s3, settings.archive) == ("given:2", "", "s3://other/")
    assert settings.warehouse == Settings().warehouse
