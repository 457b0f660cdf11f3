"""Settings of the agent: the arguments of `attach`, else Spark's configuration (`spark.headwater.…`), else defaults."""

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


def read_settings(
    spark: Any,
    url: str | None = None,
    namespace: str | None = None,
    interval: float | None = None,
    batch: bool | None = None,
    parent: Parent | None = None,
    transport: dict[str, Any] | None = None,
    spool: str | Path | None = None,
) -> Settings:
    def setting(key: str) -> str | None:
        value: str | None = spark.conf.get(key, None)
        return value or None

    folder = spool or setting("spark.headwater.spool")
    parts = (setting(f"spark.openlineage.parent{part}") for part in ("JobNamespace", "JobName", "RunId"))
    return Settings(
        url or (None if transport else setting("spark.headwater.url")),
        # The setting of OpenLineage's listener holds for us, too: Airflow and others set it.
        namespace or setting("spark.headwater.namespace") or setting("spark.openlineage.namespace") or NAMESPACE,
        _positive("spark.headwater.interval", interval or setting("spark.headwater.interval") or INTERVAL),
        batch if batch is not None else _truth("spark.headwater.batch", setting("spark.headwater.batch") or "true"),
        parent or _parent(*parts),
        transport,
        Path(folder) if folder else None,
    )


def url_of(spark: Any) -> str | None:
    url: str | None = spark.conf.get("spark.headwater.url", None)
    return url or None


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
