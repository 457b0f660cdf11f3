package io.headwater.connect.lineage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.junit.jupiter.api.Test;

class TopicCounterTest {
    private final TopicCounter counter = new TopicCounter("orders");

    private static Schema orderSchema() {
        return Fixtures.orderSchema().build();
    }

    private static Schema widerSchema() {
        return SchemaBuilder.struct().field("id", Schema.INT64_SCHEMA).field("price", Schema.FLOAT64_SCHEMA).build();
    }

    @Test
    void the_first_record_and_another_schema_are_changes() {
        Schema first = orderSchema();
        assertTrue(counter.count(null, first));
        assertFalse(counter.count(null, first));
        assertFalse(counter.count(null, orderSchema()), "an equal schema");
        Schema second = widerSchema();
        assertTrue(counter.count(null, second));
        assertSame(second, counter.schemas().value());
        assertEquals(4, counter.records());
    }

    @Test
    void records_without_schemas_are_counted() {
        assertTrue(counter.count(null, null));
        assertFalse(counter.count(null, null));
        assertEquals(2, counter.records());
        assertNull(counter.schemas().value());
    }

    @Test
    void tombstones_do_not_change_the_schema() {
        Schema schema = orderSchema();
        counter.count(Schema.STRING_SCHEMA, schema);
        assertFalse(counter.count(Schema.STRING_SCHEMA, null));
        assertFalse(counter.count(Schema.STRING_SCHEMA, schema));
        assertSame(schema, counter.schemas().value());
    }

    @Test
    void new_instances_for_every_record_are_compared_less_often_but_a_change_is_noticed() {
        for (int i = 0; i < 1000; i++) {
            boolean changed = counter.count(null, orderSchema());
            assertEquals(i == 0, changed);
        }
        int changes = 0;
        for (int i = 0; i < 64; i++) {
            changes += counter.count(null, widerSchema()) ? 1 : 0;
        }
        assertEquals(1, changes);
    }

    @Test
    void alternating_schemas_are_not_a_change_at_every_record() {
        Schema one = orderSchema();
        Schema other = widerSchema();
        int changes = 0;
        for (int i = 0; i < 100_000; i++) {
            changes += counter.count(null, i % 2 == 0 ? one : other) ? 1 : 0;
        }
        assertTrue(changes <= 65, "too many changes: " + changes);
        for (int i = 0; i < 5000; i++) { // stable again
            counter.count(null, one);
        }
        assertTrue(counter.count(null, other), "noticed at once after a stable time");
    }
}
