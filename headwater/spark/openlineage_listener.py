"""OpenLineage's own listener for batch jobs, with the settings that serve Headwater best."""

from pathlib import Path
from typing import Any

from headwater.emit.open_runs import OpenRuns
from headwater.emit.transports import address_of, default_spool
from headwater.spark.settings import NAMESPACE

PACKAGE = "io.openlineage:openlineage-spark_2.13:1.53.0"
CLASS = "io.openlineage.spark.agent.OpenLineageSparkListener"
RUNS = "spark.headwater.runs"

# Folders that are made before there is a session, until the agent takes them.
_prepared: dict[str, OpenRuns] = {}


def listener_settings(
    url: str,
    namespace: str = NAMESPACE,
    *,
    packages: bool = True,
    alone: bool = False,
    spool: str | Path | None = None,
) -> dict[str, str]:
    """Settings for a session with batch jobs: `SparkSession.builder.config(map=listener_settings(url))`, and then
    `attach(spark)`.

    The listener hands its events to the agent, which completes them and sends them. `alone`: it sends them by itself,
    for applications without the agent. `packages=False`: the jar is given to Spark in another way. `spool`: the
    folder for events that wait for the server.
    """
    settings = _common(namespace) | ({"spark.jars.packages": PACKAGE} if packages else {})
    if alone:
        return settings | {"spark.openlineage.transport.type": "http", "spark.openlineage.transport.url": url}
    runs = OpenRuns(Path(spool) if spool else default_spool(url, None), address_of(url, None))
    return settings | {
        "spark.headwater.url": url,
        "spark.headwater.namespace": namespace,
        **({"spark.headwater.spool": str(spool)} if spool else {}),
        **through_agent(runs),
    }


def add(settings: Any, jvm: Any) -> None:
    """Adds the listener to the settings (Spark's own object) of an application that is about to start, if the
    application is to be reported and the listener's jar is there."""
    url = str(settings.get("spark.headwater.url", ""))
    others = str(settings.get("spark.extraListeners", ""))
    disabled = str(settings.get("spark.headwater.listener", "true")).lower() == "false"
    if not url or disabled or CLASS in others or not _is_loadable(jvm):
        return
    namespace = str(settings.get("spark.headwater.namespace", settings.get("spark.openlineage.namespace", NAMESPACE)))
    spool = str(settings.get("spark.headwater.spool", ""))
    for key, value in listener_settings(url, namespace, packages=False, spool=spool or None).items():
        settings.set(key, value)
    settings.set("spark.extraListeners", f"{others},{CLASS}".strip(","))


def _is_loadable(jvm: Any) -> bool:
    try:
        jvm.java.lang.Thread.currentThread().getContextClassLoader().loadClass(CLASS)
    except Exception:
        return False
    return True


def _common(namespace: str) -> dict[str, str]:
    return {
        "spark.extraListeners": CLASS,
        "spark.openlineage.namespace": namespace,
        # Filters, joins and groups once for the dataset, and not again for every column.
        "spark.openlineage.columnLineage.datasetLineageEnabled": "true",
        # Empty everywhere but on one vendor's clusters.
        "spark.openlineage.facets.environment-properties.disabled": "true",
    }


def through_agent(runs: OpenRuns) -> dict[str, str]:
    """The listener writes its events to a file, from which the agent reads them."""
    runs.prepare()
    _prepared[str(runs.folder)] = runs
    return {
        RUNS: str(runs.folder),
        "spark.openlineage.transport.type": "file",
        "spark.openlineage.transport.location": str(runs.listener_file),
    }


def take_open_runs(spark: Any) -> OpenRuns | None:
    """The folder that the listener of this session writes to, if it is configured to. Only the first call gets it."""
    return _prepared.pop(spark.conf.get(RUNS, None) or "", None)


def is_configured(spark: Any) -> bool:
    return CLASS in (spark.conf.get("spark.extraListeners", None) or "")
