"""Lineage questions for assistants, over the Model Context Protocol."""
