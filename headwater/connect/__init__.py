"""Kafka Connect: queried and operated through its REST API."""
