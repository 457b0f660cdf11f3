"""Configurations of the pipeline's connectors. Pure: places and rate are arguments."""

from pipeline.orders import ITEMS, MAX_BID_AGE, SUPPLIERS
from pipeline.schemas import ORDERS
from pipeline.settings import Settings

SOURCE, S3_SINK, ICEBERG_SINK = "orders-source", "orders-s3-sink", "orders-iceberg-sink"
NAMES = (SOURCE, S3_SINK, ICEBERG_SINK)

DEAD_LETTERS = {S3_SINK: "orders-s3-dead-letters", ICEBERG_SINK: "orders-iceberg-dead-letters"}
"""Topics for records that a sink cannot read."""

ARCHIVE_FOLDER = "raw"
TABLE = "default.orders_connect"
"""An alternative ingestion, beside the table that Spark writes."""

Config = dict[str, str]


def config(name: str, places: Settings, rate: float) -> Config:
    configs = {SOURCE: _source(rate), S3_SINK: _s3_sink(places), ICEBERG_SINK: _iceberg_sink(places)}
    return configs[name] | avro(places)


def _source(rate: float) -> Config:
    fields = {
        "order_id": "#{internet.uuid}",
        "item": _one_of(ITEMS),
        "price": "#{number.numberBetween '1','150'}.#{numerify '##'}",
        "supplier": _one_of(SUPPLIERS),
        "bid_time": f"#{{date.past '{MAX_BID_AGE}','MILLISECONDS'}}",
    }
    return {
        "connector.class": "io.headwater.connect.GeneratorSource",
        "kafka.topic": ORDERS,
        "rate": f"{rate:g}",
        "schema.name": "orders.Order",
        "schema.keyfield": "order_id",
        "fields": ",".join(fields),
        **{f"field.{field}.with": text for field, text in fields.items()},
        "field.bid_time.type": "timestamp",
        # One transaction a second, not one for each handful of orders.
        "exactly.once.support": "required",
        "transaction.boundary": "interval",
        "transaction.boundary.interval.ms": "1000",
    }


def _s3_sink(places: Settings) -> Config:
    return {
        "connector.class": "io.headwater.connect.S3Sink",
        "s3.bucket.name": places.archive.partition("://")[2].strip("/"),
        "store.url": places.s3,
        "aws.access.key.id": places.s3_key,
        "aws.secret.access.key": places.s3_secret,
        "topics.dir": ARCHIVE_FOLDER,
        "format.class": "parquet",
        "flush.size": "50000",
        "rotate.interval.ms": "10000",
        **_sink(S3_SINK),
    }


def _iceberg_sink(places: Settings) -> Config:
    catalog = {
        "type": "hive",
        "uri": places.metastore,
        "warehouse": places.warehouse,
        "io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
        "http-client.type": "urlconnection",
        "client.region": "us-east-1",
        "s3.endpoint": places.s3,
        "s3.path-style-access": "true",
        "s3.access-key-id": places.s3_key,
        "s3.secret-access-key": places.s3_secret,
    }
    return {
        "connector.class": "org.apache.iceberg.connect.IcebergSinkConnector",
        "iceberg.tables": TABLE,
        "iceberg.tables.auto-create-enabled": "true",
        "iceberg.tables.evolve-schema-enabled": "true",
        "iceberg.control.commit.interval-ms": "10000",
        **{f"iceberg.catalog.{name}": text for name, text in catalog.items() if text},
        **_sink(ICEBERG_SINK),
    }


def _sink(name: str) -> Config:
    return {
        "topics": ORDERS,
        # Otherwise one bad record would end the sink.
        "errors.tolerance": "all",
        "errors.deadletterqueue.topic.name": DEAD_LETTERS[name],
        "errors.deadletterqueue.topic.replication.factor": "1",
        "errors.deadletterqueue.context.headers.enable": "true",
        "consumer.override.isolation.level": "read_committed",
        "consumer.override.auto.offset.reset": "earliest",
    }


def avro(places: Settings) -> Config:
    """With these options, Apicurio's converter writes and reads the format of Confluent's clients."""
    options = {
        "url": places.registry.partition("/apis/")[0] + "/apis/registry/v2",
        "auto-register": "true",
        "as-confluent": "true",
        "use-id": "contentId",
        "headers.enabled": "false",
    }
    return {
        "key.converter": "org.apache.kafka.connect.storage.StringConverter",
        "value.converter": "io.apicurio.registry.utils.converter.AvroConverter",
        **{f"value.converter.apicurio.registry.{name}": text for name, text in options.items()},
    }


def _one_of(words: tuple[str, ...]) -> str:
    return "#{options.option " + ",".join(f"'{word}'" for word in words) + "}"
