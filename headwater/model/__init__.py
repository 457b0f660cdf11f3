"""What is known: entities, the changes that events make to them, and how changes are applied."""
