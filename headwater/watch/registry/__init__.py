"""Schemas of topics, from a schema registry."""
