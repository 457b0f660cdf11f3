"""Lineage from inside PySpark jobs: columns of any DataFrame, and an agent for streaming queries.

    import headwater.spark

    headwater.spark.attach(spark, url="http://localhost:5000")   # every query from here on
    headwater.spark.column_lineage(df)                           # one DataFrame, as a dictionary

Nothing of Headwater's server is needed here, nor imported.
"""

from headwater.spark.columns import Lineage, column_lineage, lineage

__all__ = ["Lineage", "column_lineage", "lineage"]
