package io.headwater.connect.lineage;

/** A source writes to topics, a sink reads from them. */
enum ConnectorType {
    SOURCE,
    SINK
}
