"""Full-text search: the index that follows the state, and the questions to it."""
