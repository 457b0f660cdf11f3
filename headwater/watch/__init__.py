"""Watchers: they look at a system from outside and report what runs there as OpenLineage events.

`polling`, `known_runs` and `fields` are the frame; each system has a folder of its own.
"""
