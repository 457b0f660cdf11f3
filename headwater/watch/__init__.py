"""Watchers: what runs elsewhere, seen from outside and told as OpenLineage events."""
