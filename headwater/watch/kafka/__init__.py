"""Kafka's own word on topics and consumer groups."""
