"""Where the services are: one frozen object, from options or, without them, from the environment.

Every program of the pipeline takes the same options, so that the lab, a cluster or a person sets each place once.
"""

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any


def _place(variable: str, default: str, text: str) -> Any:
    return field(default=default, metadata={"variable": variable, "help": text})


@dataclass(frozen=True)
class Settings:
    kafka: str = _place("ORDERS_KAFKA", "127.0.0.1:9092", "Kafka's bootstrap servers")
    registry: str = _place(
        "ORDERS_REGISTRY", "http://127.0.0.1:8081/apis/ccompat/v7", "the Schema Registry, with Confluent's API"
    )
    connect: str = _place("ORDERS_CONNECT", "http://127.0.0.1:8083", "Kafka Connect")
    s3: str = _place("ORDERS_S3", "http://127.0.0.1:9000", "the S3 store; empty: Amazon's own")
    s3_key: str = _place("ORDERS_S3_KEY", "headwater", "the store's key; empty: as the SDK finds it")
    s3_secret: str = _place("ORDERS_S3_SECRET", "headwater-lab", "the store's secret")
    metastore: str = _place("ORDERS_METASTORE", "thrift://127.0.0.1:9083", "the Iceberg catalog (Hive Metastore)")
    warehouse: str = _place("ORDERS_WAREHOUSE", "s3://warehouse/", "where tables are made")
    archive: str = _place("ORDERS_ARCHIVE", "s3://archive/", "where raw orders are kept")
    checkpoints: str = _place("ORDERS_CHECKPOINTS", "checkpoints", "the folder of the streaming queries' checkpoints")
    jars: str = _place("ORDERS_JARS", "", "a folder of jars for spark.jars; empty: the cluster has them")
    history: str = _place("ORDERS_HISTORY", "", "the folder for Spark's event log; empty: none")
    namespace: str = _place("ORDERS_NAMESPACE", "orders", "the namespace of the jobs in lineage")
    headwater: str = _place("HEADWATER_URL", "", "where lineage goes; empty: nowhere")


def add_options(parser: argparse.ArgumentParser, environment: Mapping[str, str] | None = None) -> None:
    """An option for each setting; its default is from the environment."""
    environment = os.environ if environment is None else environment
    group = parser.add_argument_group("places (each may also be set by the variable that is named)")
    for setting in fields(Settings):
        variable = setting.metadata["variable"]
        group.add_argument(
            f"--{setting.name.replace('_', '-')}",
            dest=setting.name,
            default=environment.get(variable, setting.default),
            metavar="PLACE",
            help=f"{setting.metadata['help']} ({variable}; {setting.default or 'empty'})",
        )


def from_options(options: argparse.Namespace) -> Settings:
    return Settings(**{setting.name: getattr(options, setting.name) for setting in fields(Settings)})


def read(
    parser: argparse.ArgumentParser, arguments: Sequence[str] | None = None
) -> tuple[argparse.Namespace, Settings]:
    """All options of a program, and the places among them."""
    add_options(parser)
    options = parser.parse_args(arguments)
    return options, from_options(options)
