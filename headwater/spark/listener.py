"""OpenLineage's own listener for batch jobs, with the settings that serve Headwater best."""

PACKAGE = "io.openlineage:openlineage-spark_2.13:1.53.0"


def listener_settings(url: str, namespace: str = "spark", *, packages: bool = True) -> dict[str, str]:
    """Settings for a session that runs batch jobs: `SparkSession.builder.config(map=listener_settings(url))`.

    A session with streaming queries is better off without: the listener would tell every micro-batch as a
    run of its own, all of them of one job. `packages=False`: the jar is given to Spark in another way.
    """
    settings = {
        "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
        "spark.openlineage.transport.type": "http",
        "spark.openlineage.transport.url": url,
        "spark.openlineage.namespace": namespace,
        # Filters, joins and groups once for the dataset, and not again for every column.
        "spark.openlineage.columnLineage.datasetLineageEnabled": "true",
    }
    return settings | ({"spark.jars.packages": PACKAGE} if packages else {})
