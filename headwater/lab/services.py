"""Everything that the lab can run. A new service is a new entry here, after those that it needs.

Versions are in pom.xml. Heaps are small on purpose: the whole lab has to fit beside Spark on a laptop.
"""

from dataclasses import replace
from signal import SIGINT
from typing import Literal

from headwater.lab.health import Http, KafkaMetadata, Postgres, S3Bucket, ThriftCall
from headwater.lab.pipeline import PIPELINE
from headwater.lab.spec import Preparation, Service, Setting

Database = Literal["derby", "postgres"]
"""Where the Iceberg catalog keeps what it knows."""

# The lab's own store on this machine: nothing is kept secret by this, but clients want to sign with something.
S3_KEY, S3_SECRET = "headwater", "headwater-lab"
BUCKETS = ("warehouse", "archive")

# One collector thread and no optimising compiler: half the memory and a quicker start, at a speed that no
# laptop's demo notices.
_JVM = ("{java}", "-Xmx{memory}m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.net.preferIPv4Stack=true")

_LOG4J = """\
status=error
appender.console.type=Console
appender.console.name=console
appender.console.layout.type=PatternLayout
appender.console.layout.pattern=%d{{ISO8601}} %p %c{{1}}: %m%n
rootLogger.level=info
rootLogger.appenderRef.console.ref=console
"""

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
plugin.path={here}/plugins
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

_DERBY = {
    "ConnectionURL": "jdbc:derby:;databaseName={here}/db;create=true",
    "ConnectionDriverName": "org.apache.derby.jdbc.EmbeddedDriver",
}
_POSTGRES = {
    "ConnectionURL": "jdbc:postgresql://{host}:{postgres}/postgres",
    "ConnectionDriverName": "org.postgresql.Driver",
    "ConnectionUserName": "headwater",
    "ConnectionPassword": "{secret}",
}


def _metastore_xml(database: dict[str, str]) -> str:
    settings = {
        # The slash at the end is needed: without it table folders are put beside the bucket.
        "metastore.warehouse.dir": "s3://warehouse/",
        "metastore.thrift.uris": "thrift://{host}:{metastore}",
        "metastore.task.threads.always": "org.apache.hadoop.hive.metastore.events.EventCleanerTask",
        "metastore.expression.proxy": "org.apache.hadoop.hive.metastore.DefaultPartitionExpressionProxy",
        "fs.s3.impl": "org.apache.hadoop.fs.s3a.S3AFileSystem",
        "fs.s3a.endpoint": "http://{host}:{s3}",
        "fs.s3a.endpoint.region": "us-east-1",
        "fs.s3a.path.style.access": "true",
        "fs.s3a.access.key": "{s3-key}",
        "fs.s3a.secret.key": "{s3-secret}",
        "fs.s3a.aws.credentials.provider": "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
        **{f"javax.jdo.option.{name}": value for name, value in database.items()},
    }
    lines = [f"<property><name>{name}</name><value>{value}</value></property>" for name, value in settings.items()]
    return "\n".join(("<configuration>", *lines, "</configuration>\n"))


_METASTORE_HOME = "{jars}/metastore/apache-hive-metastore-3.1.3-bin"
_METASTORE_JVM = (
    *_JVM,
    "-Dderby.stream.error.file={here}/derby.log",
    "-cp",
    f"{{here}}/conf:{_METASTORE_HOME}/lib/*:{{jars}}/metastore/*",
)


def _metastore_schema(database: Database) -> tuple[str, ...]:
    tool = "org.apache.hadoop.hive.metastore.tools.MetastoreSchemaTool"
    return (*_METASTORE_JVM, tool, "-dbType", database, "-initSchema")


_KAFKA_JVM = (*_JVM, "-Dlog4j2.configurationFile={here}/log4j2.properties", "-cp", "{jars}/kafka/*")

SERVICES = (
    Service(
        name="kafka",
        title="Kafka",
        url="{host}:{kafka}",
        ports={"kafka": 9092, "kafka-controller": 9093},
        jars="kafka",
        memory=512,
        files={"server.properties": _KAFKA, "log4j2.properties": _LOG4J},
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
    Service(
        name="registry",
        title="Schema Registry",
        url="http://{host}:{registry}/apis/ccompat/v7",
        ports={"registry": 8081},
        jars="registry",
        memory=256,
        command=(
            *_JVM,
            "-Dquarkus.http.host={host}",
            "-Dquarkus.http.port={registry}",
            "-Dapicurio.storage.kind=sql",
            "-Dapicurio.storage.sql.kind=h2",
            "-Dapicurio.datasource.url=jdbc:h2:file:{here}/registry",
            "-jar",
            "{jars}/registry/apicurio-registry-app-3.0.9-runner.jar",
        ),
        health=Http("registry", "/apis/ccompat/v7/subjects"),
        # As with Confluent's registry; this one would take any change of a schema.
        setting=Setting("PUT", "http://{host}:{registry}/apis/ccompat/v7/config", {"compatibility": "BACKWARD"}),
    ),
    Service(
        name="s3",
        title="S3 store",
        url="http://{host}:{s3}",
        ports={"s3": 9000},
        jars="s3",
        memory=256,
        files={"s3proxy.properties": _S3},
        folders=tuple(f"buckets/{bucket}" for bucket in BUCKETS),
        command=(
            *_JVM,
            "-jar",
            "{jars}/s3/s3proxy-4.1.0-jar-with-dependencies.jar",
            "--properties",
            "{here}/s3proxy.properties",
        ),
        health=S3Bucket("s3", BUCKETS[0]),
    ),
    Service(
        name="metastore",
        title="Iceberg catalog",
        url="thrift://{host}:{metastore}",
        ports={"metastore": 9083},
        jars="metastore",
        memory=256,
        after=("s3",),  # it makes the folder of the database `default` there
        files={"conf/metastore-site.xml": _metastore_xml(_DERBY), "conf/log4j2.properties": _LOG4J},
        environment={"METASTORE_HOME": _METASTORE_HOME},
        prepare=Preparation([_metastore_schema("derby")], clears=("db",)),
        command=(*_METASTORE_JVM, "org.apache.hadoop.hive.metastore.HiveMetaStore", "-p", "{metastore}"),
        health=ThriftCall("metastore", "get_all_databases", "default"),
    ),
    Service(
        name="connect",
        title="Kafka Connect",
        url="http://{host}:{connect}",
        ports={"connect": 8083},
        jars="kafka",
        memory=512,
        after=("kafka",),
        files={"connect.properties": _CONNECT, "log4j2.properties": _LOG4J},
        folders=("plugins",),
        command=(*_KAFKA_JVM, "org.apache.kafka.connect.cli.ConnectDistributed", "{here}/connect.properties"),
        health=Http("connect", "/health"),
    ),
    Service(
        name="history",
        title="Spark history",
        url="http://{host}:{history}",
        ports={"history": 18080},
        spark=True,
        memory=512,
        folders=("events",),
        environment={"SPARK_LOCAL_IP": "{host}"},
        command=(
            *_JVM,
            "-Dspark.history.ui.port={history}",
            "-Dspark.history.fs.logDirectory=file:{here}/events",
            "-Dspark.history.fs.update.interval=5s",
            "-cp",
            "{spark}/jars/*",
            "org.apache.spark.deploy.history.HistoryServer",
        ),
        health=Http("history", "/api/v1/applications"),
    ),
    Service(
        name="headwater",
        title="Headwater",
        url="http://{host}:{headwater}",
        ports={"headwater": 5000},
        java=False,
        memory=100,
        folders=("store",),
        environment={"PYTHONUNBUFFERED": "1"},
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

POSTGRES = Service(
    name="postgres",
    title="PostgreSQL",
    url="postgresql://{host}:{postgres}",
    ports={"postgres": 5432},
    java=False,
    memory=64,
    unprivileged=True,
    files={"password": "{secret}\n"},
    prepare=Preparation(
        [
            (
                *("{postgresql}/initdb", "--pgdata={here}/data", "--username=headwater", "--pwfile={here}/password"),
                *("--auth=scram-sha-256", "--encoding=UTF8", "--no-locale"),
            )
        ],
        clears=("data",),
    ),
    command=(
        "{postgresql}/postgres",
        *("-D", "{here}/data"),
        *("-p", "{postgres}"),
        *("-c", "listen_addresses={host}"),
        *("-c", "unix_socket_directories="),
        *("-c", "shared_buffers={memory}MB"),
    ),
    health=Postgres("postgres"),
    stop=SIGINT,  # does not wait for clients that stay
)

# An attempt that was broken off may have left half of the tables.
_EMPTY = ("{postgresql}/psql", "-v", "ON_ERROR_STOP=1", "-c", "drop schema public cascade; create schema public")
_CLIENT = {
    "PGHOST": "{host}",
    "PGPORT": "{postgres}",
    "PGUSER": "headwater",
    "PGPASSWORD": "{secret}",
    "PGDATABASE": "postgres",
}


def services(database: Database = "derby") -> tuple[Service, ...]:
    """All of them, with the catalog on that database."""
    if database == "derby":
        return SERVICES
    derby = next(service for service in SERVICES if service.name == "metastore")
    metastore = replace(
        derby,
        after=(*derby.after, POSTGRES.name),
        files={**derby.files, "conf/metastore-site.xml": _metastore_xml(_POSTGRES)},
        environment={**derby.environment, **_CLIENT},
        prepare=Preparation([_EMPTY, _metastore_schema("postgres")]),
    )
    return (POSTGRES, *(metastore if service is derby else service for service in SERVICES))
