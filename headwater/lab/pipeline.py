"""The orders pipeline as processes of the lab, and the variables that tell its jobs where everything is."""

from collections.abc import Mapping, Sequence

from headwater.lab.health import Batches, Connectors, IcebergRows, KafkaRecords, Told
from headwater.lab.spec import Service

QUERIES = ("supplier-stats", "iceberg-ingestion", "orders-dead-letters")
"""What runs on Spark. `orders-archive` does not: the S3 sink is there for that."""

SOURCE, SINKS = "orders-source", ("orders-s3-sink", "orders-iceberg-sink")
"""What runs in Kafka Connect."""

NAMESPACE, CONNECT = "orders", "kafka-connect"
"""Of the Spark jobs, and of the connectors: a cluster has a namespace of its own."""

JOBS = {
    "produce": "orders into the topic `orders`",
    "streams": "all streaming queries in one Spark application",
    "supplier_stats": "the batch: hourly figures of the latest day",
    "supplier_stats_stream": "the query supplier-stats alone",
    "iceberg_ingestion": "the query iceberg-ingestion alone",
    "orders_archive": "the query orders-archive alone",
}
"""What `headwater lab run` knows, by module."""

OF_STREAMS = JOBS.keys() - {"produce", "supplier_stats", "orders_archive"}
"""Those that work with the checkpoints of `streams`."""

_PLACES: Mapping[str, tuple[str, Sequence[str]]] = {
    "ORDERS_KAFKA": ("{host}:{kafka}", ("kafka",)),
    "ORDERS_REGISTRY": ("http://{host}:{registry}/apis/ccompat/v7", ("registry",)),
    "ORDERS_CONNECT": ("http://{host}:{connect}", ("connect",)),
    "ORDERS_S3": ("http://{host}:{s3}", ("s3",)),
    "ORDERS_S3_KEY": ("{s3-key}", ("s3",)),
    "ORDERS_S3_SECRET": ("{s3-secret}", ("s3",)),
    "ORDERS_METASTORE": ("thrift://{host}:{metastore}", ("metastore",)),
    "ORDERS_WAREHOUSE": ("s3://warehouse/", ("s3",)),
    "ORDERS_ARCHIVE": ("s3://archive/", ("s3",)),
    "ORDERS_CHECKPOINTS": ("{folder}/streams/checkpoints", ()),
    "ORDERS_JARS": ("{jars}/spark", ()),
    "ORDERS_HISTORY": ("{folder}/history/events", ("history",)),
    "ORDERS_NAMESPACE": (NAMESPACE, ()),
    "HEADWATER_URL": ("http://{host}:{headwater}", ("headwater",)),
}
"""Each variable, and the services without which it has no value."""


def environment(services: Sequence[str], values: Mapping[str, str]) -> dict[str, str]:
    """For jobs of people's own; `values` also has `folder` and `jars`."""
    return {
        name: text.format_map(values)
        for name, (text, needed) in _PLACES.items()
        if all(service in services for service in needed)
    }


_ENVIRONMENT = {
    **{name: text for name, (text, _) in _PLACES.items()},
    "PYTHONPATH": "{root}",
    "PYTHONUNBUFFERED": "1",
    "SPARK_LOCAL_IP": "{host}",
    "SPARK_LOCAL_DIRS": "{here}/scratch",
    "XDG_STATE_HOME": "{here}/state",  # lineage that waits for the server belongs to this lab
}

_CONNECTORS = ("{python}", "-m", "pipeline.connectors", "--jobs", CONNECT)

PIPELINE = (
    Service(
        name="watch",
        title="Connect watcher",
        url="the connectors as jobs, from outside",
        ports={},
        pipeline=True,
        java=False,
        memory=80,
        after=("kafka", "registry", "connect", "headwater"),
        environment=_ENVIRONMENT,
        command=(
            *("{python}", "-m", "headwater.cli.main", "watch", "connect", "--namespace", CONNECT),
            *("--connect", "http://{host}:{connect}", "--kafka", "{host}:{kafka}"),
            *("--registry", "http://{host}:{registry}/apis/ccompat/v7", "--url", "http://{host}:{headwater}"),
            *("--state", "{here}/state.json", "--spool", "{here}/spool"),
        ),
        health=Told("connect", "headwater", CONNECT),
    ),
    # These two tell Connect what to run, and stop it when they end; so they end before the watcher, which tells it.
    Service(
        name="orders",
        title="Orders",
        url="orders-source: {rate} orders a second → topic orders",
        ports={},
        pipeline=True,
        java=False,
        memory=60,
        after=("kafka", "registry", "connect", "watch"),
        environment=_ENVIRONMENT,
        command=(*_CONNECTORS, SOURCE, "--rate", "{rate}"),
        health=Connectors("connect", (SOURCE,)),
        grace=40.0,
    ),
    Service(
        name="sinks",
        title="Connect sinks",
        url=", ".join(SINKS),
        ports={},
        pipeline=True,
        java=False,
        memory=60,
        after=("kafka", "registry", "s3", "metastore", "connect", "watch"),
        environment=_ENVIRONMENT,
        command=(*_CONNECTORS, *SINKS),
        health=Connectors("connect", SINKS),
        grace=40.0,
    ),
    Service(
        name="odd_orders",
        title="Odd orders",
        url="{odd} a second, broken or late",
        ports={},
        pipeline=True,
        java=False,
        memory=60,
        after=("kafka", "registry"),
        environment=_ENVIRONMENT,
        # No connector would write them, and the pipeline must have something to show for it.
        command=(
            "{python}",
            *("-m", "pipeline.produce", "--rate", "{odd}", "--malformed", "0.17", "--late", "0.83"),
        ),
        health=KafkaRecords("kafka", "orders"),
    ),
    Service(
        name="streams",
        title="Streams",
        url=", ".join(QUERIES),
        ports={},
        pipeline=True,
        spark=True,
        jars="spark",
        memory=1024,
        after=("kafka", "registry", "s3", "metastore", "history", "headwater"),
        folders=("checkpoints", "scratch"),
        environment=_ENVIRONMENT,
        command=(
            *("{python}", "-m", "headwater.spark.supervise", "--restarts", "5", "--"),
            # If the lab is killed, so is Kafka: the application could not end in good order, and would wait for it.
            *("{python}", "-I", "-S", "{leash}", "0", "-"),
            *("{python}", "-m", "pipeline.streams", "--driver-memory", "{memory}m", "--only", ",".join(QUERIES)),
        ),
        health=Batches("streams/checkpoints", QUERIES, "kafka", "orders"),
        patience=600.0,
        grace=45.0,  # a micro-batch may have to end first
    ),
    Service(
        name="supplier_stats",
        title="Supplier statistics",
        url="every 5 min → default.supplier_stats",
        ports={},
        pipeline=True,
        spark=True,
        jars="spark",
        memory=768,
        after=("s3", "metastore", "history", "headwater"),
        folders=("scratch",),
        environment=_ENVIRONMENT,
        when=IcebergRows("default", "orders"),
        command=("{python}", "-m", "pipeline.supplier_stats", "--driver-memory", "{memory}m"),
        health=IcebergRows("default", "supplier_stats"),
        every=300.0,
    ),
)
