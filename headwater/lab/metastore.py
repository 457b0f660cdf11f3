"""The Iceberg catalog: a Hive Metastore on Derby, which comes with it, or on a PostgreSQL of the lab's own."""

from dataclasses import replace
from signal import SIGINT
from typing import Literal

from headwater.lab.health import Postgres, ThriftCall
from headwater.lab.jvm import JVM, LOG4J
from headwater.lab.service_spec import Preparation, ServiceSpec

Database = Literal["derby", "postgres"]
"""Where the catalog stores its tables."""

_ON_DERBY = {
    "ConnectionURL": "jdbc:derby:;databaseName={here}/db;create=true",
    "ConnectionDriverName": "org.apache.derby.jdbc.EmbeddedDriver",
}
_ON_POSTGRES = {
    "ConnectionURL": "jdbc:postgresql://{host}:{postgres}/postgres",
    "ConnectionDriverName": "org.postgresql.Driver",
    "ConnectionUserName": "headwater",
    "ConnectionPassword": "{secret}",
}


def _metastore_xml(database: dict[str, str]) -> str:
    settings = {
        # Without the slash at the end, table folders would end up beside the bucket.
        "metastore.warehouse.dir": "s3://warehouse/",
        "metastore.thrift.uris": "thrift://{host}:{metastore}",
        # The second one releases the locks of killed writers; without it, commits would wait for them for ever.
        "metastore.task.threads.always": "org.apache.hadoop.hive.metastore.events.EventCleanerTask,"
        "org.apache.hadoop.hive.metastore.txn.AcidHouseKeeperService",
        "metastore.txn.timeout": "30s",
        "metastore.timedout.txn.reaper.interval": "10s",
        "metastore.timedout.txn.reaper.start": "1s",
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
    *JVM,
    "-Dderby.stream.error.file={here}/derby.log",
    "-cp",
    f"{{here}}/conf:{_METASTORE_HOME}/lib/*:{{jars}}/metastore/*",
)


def _metastore_schema(database: Database) -> tuple[str, ...]:
    tool = "org.apache.hadoop.hive.metastore.tools.MetastoreSchemaTool"
    return (*_METASTORE_JVM, tool, "-dbType", database, "-initSchema")


DERBY_METASTORE = ServiceSpec(
    name="metastore",
    title="Iceberg catalog",
    url="thrift://{host}:{metastore}",
    ports={"metastore": 9083},
    jars="metastore",
    memory=256,
    after=("s3",),  # it creates the folder of the database `default` there
    files={"conf/metastore-site.xml": _metastore_xml(_ON_DERBY), "conf/log4j2.properties": LOG4J},
    environment={"METASTORE_HOME": _METASTORE_HOME},
    prepare=Preparation([_metastore_schema("derby")], clears=("db",)),
    command=(*_METASTORE_JVM, "org.apache.hadoop.hive.metastore.HiveMetaStore", "-p", "{metastore}"),
    health=ThriftCall("metastore", "get_all_databases", "default"),
)

POSTGRES = ServiceSpec(
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
    lock="data/postmaster.pid",
    stop=SIGINT,  # does not wait for clients to disconnect
)

# An interrupted attempt may have left half of the tables.
_CLEAR_SCHEMA = ("{postgresql}/psql", "-v", "ON_ERROR_STOP=1", "-c", "drop schema public cascade; create schema public")
_CLIENT = {
    "PGHOST": "{host}",
    "PGPORT": "{postgres}",
    "PGUSER": "headwater",
    "PGPASSWORD": "{secret}",
    "PGDATABASE": "postgres",
}

POSTGRES_METASTORE = replace(
    DERBY_METASTORE,
    after=(*DERBY_METASTORE.after, POSTGRES.name),
    files={**DERBY_METASTORE.files, "conf/metastore-site.xml": _metastore_xml(_ON_POSTGRES)},
    environment={**DERBY_METASTORE.environment, **_CLIENT},
    prepare=Preparation([_CLEAR_SCHEMA, _metastore_schema("postgres")]),
)
