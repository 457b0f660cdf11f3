"""Names of datasets: physical ones, by OpenLineage's rules, as Spark's listener, Flink and Connect give them.

`orders` on `s3://warehouse` is one node, whoever reads or writes it; the name in a catalog is a symlink.
"""

import json
import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

_SAME_SCHEME = {"s3a": "s3", "s3n": "s3", "wasb": "wasbs", "abfs": "abfss"}
_OBJECT_STORES = ("s3", "gs")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_JDBC_SCHEMES = {"postgresql": "postgres", "jtds:sqlserver": "sqlserver", "redshift": "redshift"}
_JDBC_PORTS = {"postgres": 5432, "mysql": 3306, "mariadb": 3306, "sqlserver": 1433, "oracle": 1521, "redshift": 5439}


class Dataset(NamedTuple):
    namespace: str
    name: str
    symlinks: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        return self.namespace, self.name


def of_path(path: str) -> Dataset:
    """`s3a://bucket/a/b` is `a/b` on `s3://bucket`; `file:/a/b` and `/a/b` are `/a/b` on `file`."""
    match = _SCHEME.fullmatch(path)
    if match is None:
        return Dataset("file", _trimmed(path))
    scheme, rest = match[1].lower(), match[2]
    scheme = _SAME_SCHEME.get(scheme, scheme)
    if scheme == "file":
        return Dataset("file", _trimmed("/" + rest.lstrip("/")))
    if not rest.startswith("//"):
        return Dataset(scheme, _trimmed(rest))
    authority, _, name = rest[2:].partition("/")
    name = _trimmed("/" + name)
    if scheme in _OBJECT_STORES:
        name = name.strip("/")
    return Dataset(f"{scheme}://{authority}", name or "/")


def _trimmed(path: str) -> str:
    # A glob pattern stands for its folder.
    parts = path.split("/")
    for number, part in enumerate(parts):
        if any(sign in part for sign in "*?[{"):
            path = "/".join(parts[:number])
            break
    return path.rstrip("/") or "/"


def of_topics(options: Mapping[str, str]) -> list[Dataset]:
    """The topics that Kafka's source reads or its sink writes; the first broker stands for all."""
    lowered = {key.lower(): value for key, value in options.items()}
    namespace = kafka_namespace(lowered.get("kafka.bootstrap.servers") or lowered.get("bootstrap.servers") or "")
    if "assign" in lowered:
        names = list(json.loads(lowered["assign"]))
    elif "subscribepattern" in lowered:
        names = [lowered["subscribepattern"]]
    else:
        names = [name.strip() for name in (lowered.get("subscribe") or lowered.get("topic") or "").split(",")]
    return [Dataset(namespace, name) for name in names if name]


def kafka_namespace(servers: str) -> str:
    first = servers.split(",")[0].strip().rpartition("://")[2]
    return f"kafka://{first}"


def of_jdbc(url: str, table: str) -> Dataset:
    """`jdbc:postgresql://host/shop` and `public.orders` are `shop.public.orders` on `postgres://host:5432`."""
    rest = url.removeprefix("jdbc:")
    kind, _, _ = rest.partition("://")
    if "//" not in rest:
        scheme, _, where = rest.partition(":")
        return Dataset(scheme, f"{where.split(';')[0].split('?')[0]}.{_unquoted(table)}")
    rest = re.sub(r"^oracle:\w+:@(//)?", "oracle://", rest)
    kind = rest.partition("://")[0]
    scheme = _JDBC_SCHEMES.get(kind, kind)
    parts = urlsplit("x://" + rest.partition("://")[2].split(";")[0].split(",")[0])
    port = parts.port or _JDBC_PORTS.get(scheme)
    database = unquote(parts.path.strip("/")) or _property(url, "databaseName")
    namespace = f"{scheme}://{parts.hostname or 'localhost'}" + (f":{port}" if port else "")
    return Dataset(namespace, ".".join(part for part in (database, _unquoted(table)) if part))


def _property(url: str, name: str) -> str:
    match = re.search(rf";{name}=([^;]*)", url, re.I)
    return match[1] if match else ""


def _unquoted(table: str) -> str:
    return re.sub(r'["`\[\]]', "", table.strip())


def symlink(catalog: Mapping[str, str], name: str) -> tuple[str, str]:
    """A table's name in a catalog, by the catalog's settings: `hive://host:port`, the REST server's address,
    or the warehouse folder of a catalog without a server."""
    uri, kind = catalog.get("uri", ""), catalog.get("type", "")
    warehouse = catalog.get("warehouse", "")
    if uri.startswith("thrift://"):
        return "hive://" + uri.removeprefix("thrift://").split(",")[0], name
    if kind == "rest" and uri:
        return uri.rstrip("/"), name
    if warehouse.startswith("/"):
        warehouse = f"file:{warehouse}"
    return warehouse.rstrip("/") or uri or "spark", name
