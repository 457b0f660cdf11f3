"""Makes the Spark session. Settings of `spark-submit` or the cluster take precedence."""

import argparse
import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from pipeline.settings import Settings

CATALOG = "demo_ib"

_ICEBERG = "org.apache.iceberg.spark"

_JVM = " ".join(
    (
        # Iceberg and Spark look into parts of Java that are closed to them by default.
        "--add-opens=java.base/java.security=ALL-UNNAMED",
        "-Djava.net.preferIPv4Stack=true",
        "-XX:+UseSerialGC",
        # Without memory it would hang; dead, it is restarted.
        "-XX:+ExitOnOutOfMemoryError",
    )
)
_LOG = f"-Dlog4j2.configurationFile={Path(__file__).with_name('log4j2.properties').absolute().as_uri()}"


def add_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("Spark (spark-submit's own options win)")
    group.add_argument("--master", default="local[2]", help="where to run (local[2])")
    group.add_argument("--driver-memory", default="1g", help="the heap of the driver (1g)")
    group.add_argument("--ui", action="store_true", help="Spark's own page on port 4040 or above")


def make(
    name: str, settings: Settings, options: argparse.Namespace, more: Mapping[str, str] | None = None
) -> SparkSession:
    given = _given()
    master = given.get("spark.master", options.master)
    defaults = {
        "spark.master": master,
        "spark.app.name": name,
        "spark.driver.memory": options.driver_memory,
        "spark.ui.enabled": str(options.ui).lower(),
        **_base(master),
        **_catalog(settings),
        **_s3a(settings),
        **_jars(settings.jars, master, given),
        **_event_log(settings.history),
        **(more or {}),
    }
    # PySpark writes every error to stderr as a page of JSON; the code that catches it logs what matters.
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
    builder = SparkSession.builder
    for key, value in defaults.items():
        if key not in given:
            builder = builder.config(key, value)
    return builder.getOrCreate()


def _given() -> dict[str, str]:
    """The settings of spark-submit, the only one that starts Java before Python."""
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        return {}
    SparkContext._ensure_initialized()  # the settings are on Java's side
    given = dict(SparkConf().getAll())
    if given.get("spark.app.name") == Path(sys.argv[0]).name:
        del given["spark.app.name"]  # Spark's default, the name of the file
    return given


def _base(master: str) -> dict[str, str]:
    base = {
        "spark.driver.extraJavaOptions": f"{_JVM} {_LOG}",
        "spark.executor.extraJavaOptions": _JVM,
        "spark.ui.showConsoleProgress": "false",
        # A handful of suppliers: more partitions would only be more tasks.
        "spark.sql.shuffle.partitions": "2",
        # Windows, days and hours are the same wherever the job runs.
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.ansi.enabled": "true",
    }
    if master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        base |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    return base


def _catalog(settings: Settings) -> dict[str, str]:
    catalog = {
        "": f"{_ICEBERG}.SparkCatalog",
        ".type": "hive",
        ".uri": settings.metastore,
        ".warehouse": settings.warehouse,
        ".io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
        ".client.region": "us-east-1",
    }
    if settings.s3:
        catalog |= {".s3.endpoint": settings.s3, ".s3.path-style-access": "true"}
    if settings.s3_key:
        catalog |= {".s3.access-key-id": settings.s3_key, ".s3.secret-access-key": settings.s3_secret}
    return {
        # A process that is killed while it commits leaves a lock behind. The metastore can expire locks soon only if
        # living processes renew theirs often.
        "spark.hadoop.iceberg.hive.lock-heartbeat-interval-ms": "10000",
        "spark.sql.extensions": f"{_ICEBERG}.extensions.IcebergSparkSessionExtensions",
        **{f"spark.sql.catalog.{CATALOG}{key}": value for key, value in catalog.items()},
    }


def _s3a(settings: Settings) -> dict[str, str]:
    """For plain files; Iceberg has its own S3 client."""
    s3a = {"fs.s3.impl": "org.apache.hadoop.fs.s3a.S3AFileSystem", "fs.s3a.endpoint.region": "us-east-1"}
    if settings.s3:
        s3a |= {"fs.s3a.endpoint": settings.s3, "fs.s3a.path.style.access": "true"}
    if settings.s3_key:
        s3a |= {
            "fs.s3a.access.key": settings.s3_key,
            "fs.s3a.secret.key": settings.s3_secret,
            "fs.s3a.aws.credentials.provider": "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
        }
    return {f"spark.hadoop.{key}": value for key, value in s3a.items()}


def _jars(folder: str, master: str, given: Mapping[str, str]) -> dict[str, str]:
    if not folder or given.keys() & {"spark.jars", "spark.driver.extraClassPath"}:
        return {}
    jars = sorted(str(path) for path in Path(folder).glob("*.jar"))
    if not jars:
        raise SystemExit(f"no jars in {folder}: `headwater lab up --pipeline` puts them there")
    if given:
        raise SystemExit(f"Java runs already: give the jars to spark-submit, with --jars {folder}/… or in its settings")
    if master.startswith("local"):
        # Used in place: Spark copies spark.jars at each start, and leaves the copies behind when it is killed.
        return {"spark.driver.extraClassPath": f"{folder}/*"}
    return {"spark.jars": ",".join(jars)}


def _event_log(folder: str) -> dict[str, str]:
    if not folder:
        return {}
    place = folder if "://" in folder else Path(folder).absolute().as_uri()
    return {"spark.eventLog.enabled": "true", "spark.eventLog.dir": place, "spark.eventLog.rolling.enabled": "true"}
