"""The orders pipeline: one topic of orders, and the PySpark jobs that live on it. docs/pipeline.md has the tour."""
