"""Counts the rows of an Iceberg table without Spark: the catalog knows the metadata file, which has the count."""

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
    """How many rows the table has now; None if it does not exist. `values` has host, ports and keys."""
    address = (values["host"], int(values["metastore"]))
    with socket.create_connection(address, timeout=_TIMEOUT) as connection:
        table = thrift.call(connection, "get_table", database, name)
    if table is None:
        return None
    path = "/" + table[_PARAMETERS]["metadata_location"].partition("://")[2]
    endpoint = f"http://{values['host']}:{values['s3']}"
    answer = s3.request("GET", endpoint, path, key=values["s3-key"], secret=values["s3-secret"], timeout=_TIMEOUT)
    answer.raise_for_status()
    metadata = msgspec.json.decode(answer.content, type=_Metadata)
    current = next((snapshot for snapshot in metadata.snapshots if snapshot.id == metadata.current), None)
    return int(current.summary["total-records"]) if current else 0
