"""Lineage from inside PySpark jobs: columns of any DataFrame, and an agent for streaming queries.

    import headwater.spark

    headwater.spark.attach(spark, url="http://localhost:5000")   # every query from here on
    headwater.spark.column_lineage(df)                           # one DataFrame, as a dictionary

Nothing of Headwater's server is needed here, nor imported.
"""

from headwater.spark.agent import Agent, attach
from headwater.spark.columns import Lineage, column_lineage, lineage
from headwater.spark.openlineage_listener import listener_settings

__all__ = ["Agent", "Lineage", "attach", "column_lineage", "lineage", "listener_settings"]
