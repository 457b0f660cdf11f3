"""The orders pipeline: one topic of orders, and the PySpark jobs that read it. docs/pipeline.md has the tour."""
