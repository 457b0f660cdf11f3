package io.headwater.connect.lineage;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.source.SourceRecord;

/** Records and options for tests and benchmarks. */
public final class Fixtures {
    /** Nothing listens there. */
    static final String UNREACHABLE_URL = "http://127.0.0.1:9";

    private Fixtures() {}

    /** {@code more}: names and values, in turn. */
    public static Map<String, String> options(String... more) {
        Map<String, String> options = new HashMap<>(Map.of(
                LineageConfig.URL, UNREACHABLE_URL, LineageConfig.KAFKA, "broker:9092", LineageConfig.CONNECTOR, "orders"));
        for (int i = 0; i < more.length; i += 2) {
            options.put(more[i], more[i + 1]);
        }
        return options;
    }

    public static SchemaBuilder orderSchema() {
        return SchemaBuilder.struct().name("Order").field("id", Schema.INT64_SCHEMA).field("item", Schema.STRING_SCHEMA);
    }

    public static SinkRecord sinkRecord(String topic, Schema schema) {
        Object value = schema == null ? Map.of("id", 1) : new Struct(schema).put("id", 1L).put("item", "pen");
        return new SinkRecord(topic, 0, Schema.STRING_SCHEMA, "k", schema, value, 7, 0L, TimestampType.CREATE_TIME);
    }

    public static SourceRecord sourceRecord(String topic, Schema schema, Object value) {
        return new SourceRecord(Map.of(), Map.of(), topic, null, null, null, schema, value);
    }
}
