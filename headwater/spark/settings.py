"""What `attach` is told: by its arguments, else by Spark's configuration (`spark.headwater.…`), else the defaults."""

from pathlib import Path
from typing import Any, NamedTuple

NAMESPACE, INTERVAL = "spark", 10.0

Parent = tuple[str, str, str]


class Settings(NamedTuple):
    url: str | None
    namespace: str
    interval: float
    batch: bool
    parent: Parent | None
    transport: dict[str, Any] | None
    spool: Path | None


def gather(
    spark: Any,
    url: str | None = None,
    namespace: str | None = None,
    interval: float | None = None,
    batch: bool | None = None,
    parent: Parent | None = None,
    transport: dict[str, Any] | None = None,
    spool: str | Path | None = None,
) -> Settings:
    def told(key: str) -> str | None:
        found: str | None = spark.conf.get(key, None)
        return found or None

    folder = spool or told("spark.headwater.spool")
    return Settings(
        url or (None if transport else told("spark.headwater.url")),
        # What OpenLineage's listener is told holds for us, too: Airflow and others set it.
        namespace or told("spark.headwater.namespace") or told("spark.openlineage.namespace") or NAMESPACE,
        _positive("spark.headwater.interval", interval or told("spark.headwater.interval") or INTERVAL),
        batch if batch is not None else _truth("spark.headwater.batch", told("spark.headwater.batch") or "true"),
        parent or _parent(*(told(f"spark.openlineage.parent{part}") for part in ("JobNamespace", "JobName", "RunId"))),
        transport,
        Path(folder) if folder else None,
    )


def url_of(spark: Any) -> str | None:
    found: str | None = spark.conf.get("spark.headwater.url", None)
    return found or None


def _parent(namespace: str | None, name: str | None, run: str | None) -> Parent | None:
    return (namespace, name, run) if namespace and name and run else None


def _positive(key: str, value: str | float) -> float:
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not number > 0:
        raise ValueError(f"{key} is {value!r}: give a number of seconds above 0")
    return number


def _truth(key: str, value: str) -> bool:
    if value.lower() not in ("true", "false"):
        raise ValueError(f"{key} is {value!r}: give true or false")
    return value.lower() == "true"
