"""Questions to the graph, at table and at column level, now or at another time. Pure: no IO."""
