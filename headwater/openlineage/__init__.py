"""Bytes → a validated, frozen OpenLineage event."""
