"""The Iceberg tables and their properties."""

from collections.abc import Mapping

from pipeline.session import CATALOG

ORDERS_TABLE = f"{CATALOG}.default.orders"
STATS_TABLE = f"{CATALOG}.default.supplier_stats"

PROPERTIES = {
    "format-version": "2",
    "write.format.default": "parquet",
    "write.parquet.compression-codec": "zstd",
    # The size that compaction aims at; a batch of the stream stays far below.
    "write.target-file-size-bytes": str(128 << 20),
    # Orders come in the order of time, so a batch has one day or two: to sort it by day first would send
    # everything through one task and save one small file.
    "write.distribution-mode": "none",
    # Every commit writes a new metadata file: a stream would leave 17,000 a day behind.
    "write.metadata.delete-after-commit.enabled": "true",
    "write.metadata.previous-versions-max": "20",
    # For expire_snapshots: a day to look back, and always a few to roll back to.
    "history.expire.max-snapshot-age-ms": str(24 * 3600 * 1000),
    "history.expire.min-snapshots-to-keep": "20",
    # The stream, compaction and others commit side by side.
    "commit.retry.num-retries": "10",
    "commit.retry.min-wait-ms": "200",
    "commit.manifest.min-count-to-merge": "20",
}

# Small and written whole each time: nothing to distribute, and old contents are of no use for long.
STATS_PROPERTIES = PROPERTIES | {"history.expire.min-snapshots-to-keep": "5"}


def properties_clause(properties: Mapping[str, str]) -> str:
    return ", ".join(f"'{name}' = '{value}'" for name, value in properties.items())
