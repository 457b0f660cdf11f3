"""Everything that the lab can run. A new service is a new entry here, after those that it needs.

Versions are in pom.xml. Heaps are small on purpose: the whole lab has to fit beside Spark on a laptop.
"""

from headwater.defaults import DEFAULT_PORT
from headwater.lab.health import Http, KafkaMetadata, S3Bucket
from headwater.lab.jvm import JVM, LOG4J
from headwater.lab.metastore import DERBY_METASTORE, POSTGRES, POSTGRES_METASTORE, Database
from headwater.lab.pipeline import PIPELINE
from headwater.lab.service_spec import Preparation, ServiceSpec, Setting

# Not secret: the store is on this machine, but S3 clients have to sign with something.
S3_KEY, S3_SECRET = "headwater", "headwater-lab"
BUCKETS = ("warehouse", "archive")

_KAFKA = """\
process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://{host}:{kafka},CONTROLLER://{host}:{kafka-controller}
advertised.listeners=PLAINTEXT://{host}:{kafka}
controller.listener.names=CONTROLLER
controller.quorum.voters=1@{host}:{kafka-controller}
log.dirs={here}/data
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
"""

_CONNECT = """\
bootstrap.servers={host}:{kafka}
group.id=connect
listeners=http://{host}:{connect}
rest.advertised.host.name={host}
rest.advertised.port={connect}
config.storage.topic=connect-configs
config.storage.replication.factor=1
offset.storage.topic=connect-offsets
offset.storage.replication.factor=1
offset.storage.partitions=1
status.storage.topic=connect-status
status.storage.replication.factor=1
status.storage.partitions=1
key.converter=org.apache.kafka.connect.json.JsonConverter
value.converter=org.apache.kafka.connect.json.JsonConverter
offset.flush.interval.ms=5000
exactly.once.source.support=enabled
plugin.path={here}/plugins,{plugins}
plugin.discovery=service_load
"""

_S3 = """\
s3proxy.endpoint=http://{host}:{s3}
s3proxy.authorization=aws-v2-or-v4
s3proxy.identity={s3-key}
s3proxy.credential={s3-secret}
jclouds.provider=filesystem-nio2
jclouds.filesystem.basedir={here}/buckets
jclouds.identity=none
jclouds.credential=none
"""

_KAFKA_JVM = (*JVM, "-Dlog4j2.configurationFile={here}/log4j2.properties", "-cp", "{jars}/kafka/*")

SERVICES = (
    ServiceSpec(
        name="kafka",
        title="Kafka",
        url="{host}:{kafka}",
        ports={"kafka": 9092, "kafka-controller": 9093},
        jars="kafka",
        memory=512,
        files={"server.properties": _KAFKA, "log4j2.properties": LOG4J},
        prepare=Preparation(
            [
                (
                    *_KAFKA_JVM,
                    *("kafka.tools.StorageTool", "format", "--ignore-formatted", "--cluster-id", "{id}"),
                    *("--config", "{here}/server.properties"),
                )
            ]
        ),
        command=(*_KAFKA_JVM, "kafka.Kafka", "{here}/server.properties"),
        health=KafkaMetadata("kafka"),
    ),
    ServiceSpec(
        name="registry",
        title="Schema Registry",
        url="http://{host}:{registry}/apis/ccompat/v7",
        ports={"registry": 8081},
        jars="registry",
        memory=256,
        command=(
            *JVM,
            "-Dquarkus.http.host={host}",
            "-Dquarkus.http.port={registry}",
            "-Dapicurio.storage.kind=sql",
            "-Dapicurio.storage.sql.kind=h2",
            "-Dapicurio.datasource.url=jdbc:h2:file:{here}/registry",
            "-jar",
            "{jars}/registry/apicurio-registry-app-3.0.9-runner.jar",
        ),
        health=Http("registry", "/apis/ccompat/v7/subjects"),
        # The default of Confluent's registry; this one would accept any change of a schema.
        setting=Setting("PUT", "http://{host}:{registry}/apis/ccompat/v7/config", {"compatibility": "BACKWARD"}),
    ),
    ServiceSpec(
        name="s3",
        title="S3 store",
        url="http://{host}:{s3}",
        ports={"s3": 9000},
        jars="s3",
        memory=256,
        files={"s3proxy.properties": _S3},
        folders=tuple(f"buckets/{bucket}" for bucket in BUCKETS),
        command=(
            *JVM,
            "-jar",
            "{jars}/s3/s3proxy-4.1.0-jar-with-dependencies.jar",
            "--properties",
            "{here}/s3proxy.properties",
        ),
        health=S3Bucket("s3", BUCKETS[0]),
    ),
    DERBY_METASTORE,
    ServiceSpec(
        name="connect",
        title="Kafka Connect",
        url="http://{host}:{connect}",
        ports={"connect": 8083},
        jars="kafka",
        memory=512,
        after=("kafka",),
        files={"connect.properties": _CONNECT, "log4j2.properties": LOG4J},
        folders=("plugins",),
        command=(*_KAFKA_JVM, "org.apache.kafka.connect.cli.ConnectDistributed", "{here}/connect.properties"),
        health=Http("connect", "/health"),
    ),
    ServiceSpec(
        name="history",
        title="Spark history",
        url="http://{host}:{history}",
        ports={"history": 18080},
        spark=True,
        memory=512,
        folders=("events",),
        environment={"SPARK_LOCAL_IP": "{host}"},
        command=(
            *JVM,
            "-Dspark.history.ui.port={history}",
            "-Dspark.history.fs.logDirectory=file:{here}/events",
            "-Dspark.history.fs.update.interval=5s",
            "-cp",
            "{spark}/jars/*",
            "org.apache.spark.deploy.history.HistoryServer",
        ),
        health=Http("history", "/api/v1/applications"),
    ),
    ServiceSpec(
        name="headwater",
        title="Headwater",
        url="http://{host}:{headwater}",
        ports={"headwater": DEFAULT_PORT},
        java=False,
        memory=100,
        folders=("store",),
        environment={"PYTHONUNBUFFERED": "1", "HEADWATER_CONNECT": "{clusters}", "HEADWATER_OPERATE": "yes"},
        command=(
            "{python}",
            "-m",
            "headwater.cli.main",
            "serve",
            "--host",
            "{host}",
            "--port",
            "{headwater}",
            "--data",
            "{here}/store",
        ),
        health=Http("headwater", "/healthz"),
    ),
    *PIPELINE,
)


def services(database: Database = "derby") -> tuple[ServiceSpec, ...]:
    """All services, with the catalog on that database."""
    if database == "derby":
        return SERVICES
    catalog = {DERBY_METASTORE.name: POSTGRES_METASTORE}
    return (POSTGRES, *(catalog.get(service.name, service) for service in SERVICES))
