package io.headwater.connect;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.source.SourceRecord;

/** Records and options for tests and benchmarks. */
final class Samples {
    /** Nobody listens there. */
    static final String NOWHERE = "http://127.0.0.1:9";

    private Samples() {}

    static Map<String, String> options(String... more) {
        Map<String, String> options = new HashMap<>(Map.of(
                LineageConfig.URL, NOWHERE, LineageConfig.KAFKA, "broker:9092", LineageConfig.CONNECTOR, "orders"));
        for (int i = 0; i < more.length; i += 2) {
            options.put(more[i], more[i + 1]);
        }
        return options;
    }

    static SchemaBuilder order() {
        return SchemaBuilder.struct().name("Order").field("id", Schema.INT64_SCHEMA).field("item", Schema.STRING_SCHEMA);
    }

    static SinkRecord sink(String topic, Schema schema) {
        Object value = schema == null ? Map.of("id", 1) : new Struct(schema).put("id", 1L).put("item", "pen");
        return new SinkRecord(topic, 0, Schema.STRING_SCHEMA, "k", schema, value, 7, 0L, TimestampType.CREATE_TIME);
    }

    static SourceRecord source(String topic, Schema schema, Object value) {
        return new SourceRecord(Map.of(), Map.of(), topic, null, null, null, schema, value);
    }
}
