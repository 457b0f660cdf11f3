package io.headwater.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headwater.connect.lineage.Fixtures;
import java.util.List;
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
    void passes_every_record_on_unchanged() {
        OpenLineageLifecycleSmt<SinkRecord> smt = new OpenLineageLifecycleSmt<>();
        smt.configure(Fixtures.options("connector.name", "pass"));
        Schema schema = Fixtures.orderSchema().build();
        for (SinkRecord record : new SinkRecord[] {
            Fixtures.sinkRecord("orders", schema), Fixtures.sinkRecord("orders", null), Fixtures.sinkRecord(null, schema),
            new SinkRecord("orders", 0, null, null, null, null, 8)
        }) {
            assertSame(record, smt.apply(record));
        }
        assertNull(smt.apply(null));
        smt.close();
        SinkRecord afterClose = Fixtures.sinkRecord("orders", schema);
        assertSame(afterClose, smt.apply(afterClose));
        smt.close();
    }

    @Test
    void passes_a_record_on_whose_schema_throws() {
        Schema broken = new ConnectSchema(Schema.Type.STRING) {
            @Override
            public boolean equals(Object other) {
                throw new IllegalStateException("broken");
            }
        };
        OpenLineageLifecycleSmt<SourceRecord> smt = new OpenLineageLifecycleSmt<>();
        smt.configure(Fixtures.options("connector.name", "broken"));
        smt.apply(Fixtures.sourceRecord("t", Schema.STRING_SCHEMA, "a"));
        SourceRecord record = Fixtures.sourceRecord("t", broken, "b");
        assertSame(record, smt.apply(record));
        smt.close();
    }

    @Test
    void needs_the_connectors_name_where_the_worker_has_no_log_context() {
        OpenLineageLifecycleSmt<SinkRecord> smt = new OpenLineageLifecycleSmt<>();
        ConfigException e =
                assertThrows(ConfigException.class, () -> smt.configure(Fixtures.options("connector.name", "")));
        assertTrue(e.getMessage().contains("connector.name"), e.getMessage());
    }

    /** Connector configurations name the class. A second one would make its short name ambiguous. */
    @Test
    void service_discovery_finds_it_under_its_public_name_and_no_other() {
        List<String> names = ServiceLoader.load(Transformation.class).stream()
                .map(provider -> provider.type().getName()).filter(name -> name.startsWith("io.headwater")).toList();
        assertEquals(List.of("io.headwater.connect.OpenLineageLifecycleSmt"), names);
    }
}
