"""Ingest: events go into the log, the state and the tables, live or again from the log."""
