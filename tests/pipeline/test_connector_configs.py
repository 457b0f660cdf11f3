"""The configurations of connectors. That they work is checked by `make demo-check`."""

import json
from dataclasses import replace

import pytest

from pipeline.connector_configs import DEAD_LETTERS, ICEBERG_SINK, NAMES, S3_SINK, SOURCE, config
from pipeline.schemas import ORDER_VERSIONS
from pipeline.settings import Settings

PLACES = Settings(registry="http://registry:8081/apis/ccompat/v7", archive="s3://mine/")


def test_orders_have_the_fields_of_the_schema_in_their_order() -> None:
    options = config(SOURCE, PLACES, 250.0)
    names = [field["name"] for field in json.loads(ORDER_VERSIONS[1])["fields"]]
    assert options["fields"].split(",") == names
    assert {f"field.{name}.with" for name in names} < options.keys()
    assert options["rate"] == "250"


@pytest.mark.parametrize("name", NAMES)
def test_records_are_in_the_format_of_the_registrys_clients(name: str) -> None:
    options = config(name, PLACES, 1)
    assert options["value.converter.apicurio.registry.url"] == "http://registry:8081/apis/registry/v2"
    assert options["value.converter.apicurio.registry.as-confluent"] == "true"


@pytest.mark.parametrize("name", [S3_SINK, ICEBERG_SINK])
def test_a_sink_puts_aside_what_it_cannot_read_and_takes_only_completed_transactions(name: str) -> None:
    options = config(name, PLACES, 1)
    assert (options["errors.tolerance"], options["errors.deadletterqueue.topic.name"]) == ("all", DEAD_LETTERS[name])
    assert options["consumer.override.isolation.level"] == "read_committed"


def test_on_amazon_there_is_no_address_and_no_key_to_pass() -> None:
    amazon = replace(PLACES, s3="", s3_key="", s3_secret="")
    assert config(S3_SINK, amazon, 1)["s3.bucket.name"] == "mine"
    assert not [name for name in config(ICEBERG_SINK, amazon, 1) if "endpoint" in name or "key" in name.split(".")[-1]]
