package io.headwater.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.junit.jupiter.api.Test;

class TopicFlowTest {
    private final TopicFlow flow = new TopicFlow("orders");

    private static Schema order() {
        return Samples.order().build();
    }

    private static Schema wider() {
        return SchemaBuilder.struct().field("id", Schema.INT64_SCHEMA).field("price", Schema.FLOAT64_SCHEMA).build();
    }

    @Test
    void the_first_record_and_another_schema_are_news() {
        Schema first = order();
        assertTrue(flow.count(null, first));
        assertFalse(flow.count(null, first));
        assertFalse(flow.count(null, order()), "an equal one");
        Schema second = wider();
        assertTrue(flow.count(null, second));
        assertSame(second, flow.schemas().value());
        assertEquals(4, flow.records());
    }

    @Test
    void records_without_schemas_are_counted() {
        assertTrue(flow.count(null, null));
        assertFalse(flow.count(null, null));
        assertEquals(2, flow.records());
        assertNull(flow.schemas().value());
    }

    @Test
    void tombstones_do_not_change_the_schema() {
        Schema schema = order();
        flow.count(Schema.STRING_SCHEMA, schema);
        assertFalse(flow.count(Schema.STRING_SCHEMA, null));
        assertFalse(flow.count(Schema.STRING_SCHEMA, schema));
        assertSame(schema, flow.schemas().value());
    }

    @Test
    void schemas_made_anew_for_every_record_are_compared_ever_less_but_a_change_is_seen() {
        for (int i = 0; i < 1000; i++) {
            boolean news = flow.count(null, order());
            assertEquals(i == 0, news);
        }
        int seen = 0;
        for (int i = 0; i < 64; i++) {
            seen += flow.count(null, wider()) ? 1 : 0;
        }
        assertEquals(1, seen);
    }

    @Test
    void schemas_that_take_turns_are_not_news_for_every_record() {
        Schema one = order();
        Schema other = wider();
        int news = 0;
        for (int i = 0; i < 100_000; i++) {
            news += flow.count(null, i % 2 == 0 ? one : other) ? 1 : 0;
        }
        assertTrue(news <= 65, () -> "too many");
        for (int i = 0; i < 5000; i++) { // calm again
            flow.count(null, one);
        }
        assertTrue(flow.count(null, other), "seen at once after a calm time");
    }
}
