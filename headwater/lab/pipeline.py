"""The orders pipeline as services of the lab, and the environment variables with the endpoints for its jobs."""

from collections.abc import Mapping, Sequence

from headwater.lab.health import Batches, ConnectorsReported, ConnectorsRunning, IcebergRows, KafkaRecords
from headwater.lab.service_spec import ServiceSpec

QUERIES = ("supplier-stats", "iceberg-ingestion", "orders-dead-letters")
"""The queries that run on Spark. `orders-archive` is not one of them: the S3 sink does its work."""

SOURCE, SINKS = "orders-source", ("orders-s3-sink", "orders-iceberg-sink")
"""The connectors in Kafka Connect."""

NAMESPACE, CONNECT = "orders", "kafka-connect"
"""Of the Spark jobs, and of the connectors: each Connect cluster has its own namespace."""

JOBS = {
    "produce": "orders into the topic `orders`",
    "streams": "all streaming queries in one Spark application",
    "supplier_stats": "the batch: hourly figures of the latest day",
    "supplier_stats_stream": "the query supplier-stats alone",
    "iceberg_ingestion": "the query iceberg-ingestion alone",
    "orders_archive": "the query orders-archive alone",
}
"""The jobs of `headwater lab run`, by module."""

SHARES_CHECKPOINTS = JOBS.keys() - {"produce", "supplier_stats", "orders_archive"}
"""Jobs that use the checkpoints of `streams`."""

_ENDPOINTS: Mapping[str, tuple[str, Sequence[str]]] = {
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
"""Each variable, and the services that it needs."""


def environment(services: Sequence[str], values: Mapping[str, str]) -> dict[str, str]:
    """Endpoints for the user's own jobs; `values` also has `folder` and `jars`."""
    return {
        name: text.format_map(values)
        for name, (text, needed) in _ENDPOINTS.items()
        if all(service in services for service in needed)
    }


_ENVIRONMENT = {
    **{name: text for name, (text, _) in _ENDPOINTS.items()},
    "PYTHONPATH": "{root}",
    "PYTHONUNBUFFERED": "1",
    "SPARK_LOCAL_IP": "{host}",
    "SPARK_LOCAL_DIRS": "{here}/scratch",
    "XDG_STATE_HOME": "{here}/state",  # spooled lineage stays in this lab
}

_CONNECTORS = ("{python}", "-m", "pipeline.connectors", "--jobs", CONNECT)

PIPELINE = (
    ServiceSpec(
        name="watch",
        title="Connect watcher",
        url="reports the connectors as jobs",
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
        health=ConnectorsReported("connect", "headwater", CONNECT),
    ),
    # These two start connectors, and stop them when they end; so they end before the watcher, which reports that.
    ServiceSpec(
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
        health=ConnectorsRunning("connect", (SOURCE,)),
        grace=40.0,
    ),
    ServiceSpec(
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
        health=ConnectorsRunning("connect", SINKS),
        grace=40.0,
    ),
    ServiceSpec(
        name="odd_orders",
        title="Odd orders",
        url="{odd} a second, broken or late",
        ports={},
        pipeline=True,
        java=False,
        memory=60,
        after=("kafka", "registry"),
        environment=_ENVIRONMENT,
        # No connector would write broken orders, and the pipeline has to show how it handles them.
        command=(
            "{python}",
            *("-m", "pipeline.produce", "--rate", "{odd}", "--malformed", "0.17", "--late", "0.83"),
        ),
        health=KafkaRecords("kafka", "orders"),
    ),
    ServiceSpec(
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
            # If the lab is killed, so is Kafka, and the application would wait for it for ever: it has to die too.
            *("{python}", "-I", "-S", "{die_with_parent}", "0", "SIGKILL", "-"),
            *("{python}", "-m", "pipeline.streams", "--driver-memory", "{memory}m", "--only", ",".join(QUERIES)),
        ),
        health=Batches("streams/checkpoints", QUERIES, "kafka", "orders"),
        patience=600.0,
        grace=45.0,  # a micro-batch may have to finish first
    ),
    ServiceSpec(
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
