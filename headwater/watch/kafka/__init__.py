"""Topics and consumer groups, asked from Kafka."""
