package io.headwater.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ServiceLoader;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.data.ConnectSchema;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.transforms.Transformation;
import org.junit.jupiter.api.Test;

class OpenLineageLifecycleSmtTest {
    @Test
    void lets_the_same_record_pass_whatever_it_is() {
        OpenLineageLifecycleSmt<SinkRecord> smt = new OpenLineageLifecycleSmt<>();
        smt.configure(Samples.options(LineageConfig.CONNECTOR, "pass"));
        Schema schema = Samples.order().build();
        for (SinkRecord record : new SinkRecord[] {
            Samples.sink("orders", schema), Samples.sink("orders", null), Samples.sink(null, schema),
            new SinkRecord("orders", 0, null, null, null, null, 8)
        }) {
            assertSame(record, smt.apply(record));
        }
        assertNull(smt.apply(null));
        smt.close();
        SinkRecord late = Samples.sink("orders", schema);
        assertSame(late, smt.apply(late));
        smt.close();
    }

    @Test
    void lets_a_record_pass_whose_schema_throws() {
        Schema broken = new ConnectSchema(Schema.Type.STRING) {
            @Override
            public boolean equals(Object other) {
                throw new IllegalStateException("broken");
            }
        };
        OpenLineageLifecycleSmt<SourceRecord> smt = new OpenLineageLifecycleSmt<>();
        smt.configure(Samples.options(LineageConfig.CONNECTOR, "broken"));
        smt.apply(Samples.source("t", Schema.STRING_SCHEMA, "a"));
        SourceRecord record = Samples.source("t", broken, "b");
        assertSame(record, smt.apply(record));
        smt.close();
    }

    @Test
    void needs_a_name_where_the_worker_says_none() {
        OpenLineageLifecycleSmt<SinkRecord> smt = new OpenLineageLifecycleSmt<>();
        ConfigException e =
                assertThrows(ConfigException.class, () -> smt.configure(Samples.options(LineageConfig.CONNECTOR, "")));
        assertTrue(e.getMessage().contains("connector.name"), e.getMessage());
    }

    @Test
    void is_found_by_workers_that_look_for_manifests() {
        assertTrue(ServiceLoader.load(Transformation.class).stream()
                .anyMatch(one -> one.type() == OpenLineageLifecycleSmt.class));
    }

    @Test
    void reads_the_workers_log_context() {
        assertEquals(new WorkerContext("orders-sink", 12), WorkerContext.read("[orders-sink|task-12] "));
        assertEquals(new WorkerContext("a|b", 0), WorkerContext.read("[a|b|task-0|offsets] "));
        assertEquals(new WorkerContext("", -1), WorkerContext.read("[orders-sink|worker] "));
        assertEquals(new WorkerContext("", -1), WorkerContext.read(null));
    }
}
