"""The Connect watcher: connectors and their tasks as jobs and runs, from outside."""
