"""For everybody who reports lineage: names of datasets, parts of events, delivery that waits on disk."""
