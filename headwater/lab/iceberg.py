"""A look at an Iceberg table without Spark: the catalog names its metadata, which has the counts."""

import socket
from collections.abc import Mapping

import msgspec

from headwater.lab import s3, thrift

_TIMEOUT = 5.0
_PARAMETERS = 9  # of the metastore's Table


class _Snapshot(msgspec.Struct, frozen=True):
    id: int = msgspec.field(name="snapshot-id")
    summary: dict[str, str] = {}


class _Metadata(msgspec.Struct, frozen=True):
    current: int | None = msgspec.field(name="current-snapshot-id", default=None)
    snapshots: list[_Snapshot] = []


def rows(values: Mapping[str, str], database: str, name: str) -> int | None:
    """How many rows the table has now; None where there is no such table. `values` has host, ports and keys."""
    where = (values["host"], int(values["metastore"]))
    with socket.create_connection(where, timeout=_TIMEOUT) as connection:
        table = thrift.call(connection, "get_table", database, name)
    if table is None:
        return None
    path = "/" + table[_PARAMETERS]["metadata_location"].partition("://")[2]
    endpoint = f"http://{values['host']}:{values['s3']}"
    answer = s3.request("GET", endpoint, path, key=values["s3-key"], secret=values["s3-secret"], timeout=_TIMEOUT)
    answer.raise_for_status()
    found = msgspec.json.decode(answer.content, type=_Metadata)
    now = next((snapshot for snapshot in found.snapshots if snapshot.id == found.current), None)
    return int(now.summary["total-records"]) if now else 0
