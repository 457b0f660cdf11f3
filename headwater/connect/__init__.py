"""Kafka Connect as it is asked and operated through its REST API."""
