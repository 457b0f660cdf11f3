"""For everything that reports lineage: names of datasets, parts of events, delivery that survives an absent server."""
