package io.headwater.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.data.Timestamp;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTaskContext;
import org.apache.kafka.connect.storage.OffsetStorageReader;
import org.junit.jupiter.api.Test;

class GeneratorTaskTest {
    static final Map<String, String> ORDERS = Map.ofEntries(
            Map.entry("name", "orders-source"),
            Map.entry("kafka.topic", "orders"),
            Map.entry("schema.name", "orders.Order"),
            Map.entry("schema.keyfield", "order_id"),
            Map.entry("fields", "order_id, item, price, supplier, bid_time"),
            Map.entry("field.order_id.with", "#{internet.uuid}"),
            Map.entry("field.item.with", "#{options.option 'tea','soap','wool'}"),
            Map.entry("field.price.with", "#{number.numberBetween '1','150'}.#{numerify '##'}"),
            Map.entry("field.supplier.with", "#{options.option 'Alice','Bob','Carol'}"),
            Map.entry("field.bid_time.with", "#{date.past '5','SECONDS'}"),
            Map.entry("field.bid_time.type", "timestamp"),
            Map.entry("rate", "0"));

    @Test
    void ordersAreAsThePipelineReadsThem() throws Exception {
        SourceRecord first = make(ORDERS, null, 1).get(0);
        Struct order = (Struct) first.value();
        assertEquals("orders", first.topic());
        assertEquals("orders.Order", order.schema().name());
        List<String> names = order.schema().fields().stream().map(field -> field.name()).toList();
        assertEquals(List.of("order_id", "item", "price", "supplier", "bid_time"), names);
        assertEquals(Timestamp.SCHEMA, order.schema().field("bid_time").schema());
        assertEquals(Schema.STRING_SCHEMA, order.schema().field("price").schema());
        assertEquals(order.get("order_id"), first.key());
        assertTrue(order.getString("price").matches("\\d{1,3}\\.\\d\\d"), order.getString("price"));
        long behind = first.timestamp() - ((Date) order.get("bid_time")).getTime();
        assertTrue(behind >= 0 && behind <= 5_000, () -> behind + " ms");
    }

    @Test
    void aTaskThatTakesOverGoesOnWithTheNextRecord() throws Exception {
        List<Object> whole = ids(make(ORDERS, null, 12_000));
        assertEquals(12_000, new HashSet<>(whole).size());
        List<SourceRecord> before = make(ORDERS, null, 5_000);
        Map<String, ?> noted = before.get(2_999).sourceOffset();
        List<Object> after = ids(make(ORDERS, noted, 9_000));
        assertEquals(whole.subList(3_000, 12_000), after.subList(0, 9_000));
    }

    @Test
    void anotherSeedOrNameGivesOtherRecords() throws Exception {
        Object first = ids(make(ORDERS, null, 1)).get(0);
        assertNotEquals(first, ids(make(with(ORDERS, "seed", "7"), null, 1)).get(0));
        assertNotEquals(first, ids(make(with(ORDERS, "name", "other"), null, 1)).get(0));
        assertEquals(
                ids(make(with(ORDERS, "seed", "7"), null, 1)),
                ids(make(with(with(ORDERS, "name", "other"), "seed", "7"), null, 1)));
    }

    @Test
    void historyLiesInThePastAndComesFirst() throws Exception {
        Map<String, String> told = with(with(with(ORDERS, "history.records", "100"), "history.ms", "1000000"), "rate", "1");
        long before = System.currentTimeMillis();
        List<SourceRecord> made = make(told, null, 100);
        long began = ((Number) made.get(0).sourceOffset().get("began")).longValue();
        assertTrue(began >= before);
        for (int i = 0; i < 100; i++) {
            assertEquals(began - 1_000_000 + i * 10_000, made.get(i).timestamp());
            long bid = ((Date) ((Struct) made.get(i).value()).get("bid_time")).getTime();
            assertTrue(made.get(i).timestamp() - bid <= 5_000);
        }
        // A task that takes over in the middle counts from the same beginning.
        List<SourceRecord> rest = make(told, made.get(49).sourceOffset(), 50);
        assertEquals(made.get(50).timestamp(), rest.get(0).timestamp());
        assertEquals(made.get(50).key(), rest.get(0).key());
    }

    @Test
    void afterTheLastIterationThereIsNothing() throws Exception {
        Map<String, String> told = with(ORDERS, "iterations", "7");
        GeneratorTask task = task(told, null);
        assertEquals(7, task.poll().size());
        assertNull(task.poll());
        assertNull(task(told, Map.of("sequence", 9L)).poll());
    }

    @Test
    void everyType() throws Exception {
        Map<String, String> told = new HashMap<>(Map.of("name", "n", "kafka.topic", "t", "fields", "n,s,b,i,l,d,m,t", "rate", "0"));
        put(told, "n", "#{sequence}", "long");
        put(told, "s", "no. #{sequence} of #{options.option 'all'}", "string");
        put(told, "b", "#{bool.bool}", "boolean");
        put(told, "i", "#{number.numberBetween '5','6'}", "int");
        put(told, "l", "#{date.past '1','SECONDS'}", "long");
        put(told, "d", "#{number.randomDouble '2','1','2'}", "double");
        put(told, "m", "1.005", "decimal(2)");
        put(told, "t", "#{date.birthday}", "timestamp");
        SourceRecord second = make(told, null, 2).get(1);
        Struct value = (Struct) second.value();
        assertEquals(1L, value.get("n"));
        assertEquals("no. 1 of all", value.get("s"));
        assertTrue(value.get("b") instanceof Boolean);
        assertEquals(5, value.get("i"));
        assertTrue(second.timestamp() - value.getInt64("l") <= 1_000);
        assertTrue(value.getFloat64("d") >= 1 && value.getFloat64("d") <= 2);
        assertEquals(new BigDecimal("1.01"), value.get("m"));
        assertTrue(((Date) value.get("t")).getTime() < second.timestamp());
        assertNull(second.key());
    }

    @Test
    void nothingIsMadeBeforeItIsDue() throws Exception {
        GeneratorTask task = task(with(ORDERS, "rate", "0.0001"), null);
        assertNull(task.poll());
    }

    static Map<String, String> with(Map<String, String> told, String name, String value) {
        Map<String, String> changed = new HashMap<>(told);
        changed.put(name, value);
        return changed;
    }

    private static void put(Map<String, String> told, String name, String with, String type) {
        told.put("field." + name + ".with", with);
        told.put("field." + name + ".type", type);
    }

    private static List<Object> ids(List<SourceRecord> records) {
        return records.stream().map(record -> record.key()).toList();
    }

    private static List<SourceRecord> make(Map<String, String> told, Map<String, ?> noted, int count) throws Exception {
        GeneratorTask task = task(told, noted);
        List<SourceRecord> made = new ArrayList<>();
        while (made.size() < count) {
            List<SourceRecord> some = task.poll();
            assertFalse(some == null || some.isEmpty());
            made.addAll(some);
        }
        return made.subList(0, count);
    }

    private static GeneratorTask task(Map<String, String> told, Map<String, ?> noted) {
        GeneratorTask task = new GeneratorTask();
        task.initialize(new Context(told, noted));
        task.start(told);
        return task;
    }

    /** What Connect has noted. */
    private record Context(Map<String, String> configs, Map<String, ?> noted) implements SourceTaskContext {
        @Override
        public OffsetStorageReader offsetStorageReader() {
            return new OffsetStorageReader() {
                @Override
                @SuppressWarnings("unchecked")
                public <T> Map<String, Object> offset(Map<String, T> partition) {
                    return (Map<String, Object>) noted;
                }

                @Override
                public <T> Map<Map<String, T>, Map<String, Object>> offsets(Collection<Map<String, T>> partitions) {
                    throw new UnsupportedOperationException();
                }
            };
        }

        @Override
        public PluginMetrics pluginMetrics() {
            throw new UnsupportedOperationException();
        }
    }
}
