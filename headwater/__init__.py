"""Headwater: live, column-level lineage for Kafka, Kafka Connect, Spark, Flink and Iceberg."""

__version__ = "0.1.0"
