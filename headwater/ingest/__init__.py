"""Taking events in: into the log, the state and the tables, live and again."""
