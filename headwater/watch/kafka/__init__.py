"""Topics and consumer groups, read from Kafka."""
