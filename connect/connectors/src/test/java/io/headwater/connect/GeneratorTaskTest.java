package io.headwater.connect;

import static io.headwater.connect.connectors.Fixtures.ORDERS;
import static io.headwater.connect.connectors.Fixtures.with;
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
    @Test
    void generatesTheOrdersThatThePipelineReads() throws Exception {
        SourceRecord first = generate(ORDERS, null, 1).get(0);
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
    void aRestartedTaskContinuesWithTheNextRecord() throws Exception {
        List<Object> allIds = ids(generate(ORDERS, null, 12_000));
        assertEquals(12_000, new HashSet<>(allIds).size());
        List<SourceRecord> before = generate(ORDERS, null, 5_000);
        Map<String, ?> offset = before.get(2_999).sourceOffset();
        List<Object> after = ids(generate(ORDERS, offset, 9_000));
        assertEquals(allIds.subList(3_000, 12_000), after.subList(0, 9_000));
    }

    @Test
    void anotherSeedOrNameGeneratesOtherRecords() throws Exception {
        Object first = ids(generate(ORDERS, null, 1)).get(0);
        assertNotEquals(first, ids(generate(with(ORDERS, "seed", "7"), null, 1)).get(0));
        assertNotEquals(first, ids(generate(with(ORDERS, "name", "other"), null, 1)).get(0));
        assertEquals(
                ids(generate(with(ORDERS, "seed", "7"), null, 1)),
                ids(generate(with(with(ORDERS, "name", "other"), "seed", "7"), null, 1)));
    }

    @Test
    void historyIsInThePastAndComesFirst() throws Exception {
        Map<String, String> options = with(with(with(ORDERS, "history.records", "100"), "history.ms", "1000000"), "rate", "1");
        long before = System.currentTimeMillis();
        List<SourceRecord> records = generate(options, null, 100);
        long firstStart = ((Number) records.get(0).sourceOffset().get("began")).longValue();
        assertTrue(firstStart >= before);
        for (int i = 0; i < 100; i++) {
            assertEquals(firstStart - 1_000_000 + i * 10_000, records.get(i).timestamp());
            long bid = ((Date) ((Struct) records.get(i).value()).get("bid_time")).getTime();
            assertTrue(records.get(i).timestamp() - bid <= 5_000);
        }
        // A task that restarts in the middle counts from the same first start.
        List<SourceRecord> rest = generate(options, records.get(49).sourceOffset(), 50);
        assertEquals(records.get(50).timestamp(), rest.get(0).timestamp());
        assertEquals(records.get(50).key(), rest.get(0).key());
    }

    @Test
    void stopsAfterTheLastIteration() throws Exception {
        Map<String, String> options = with(ORDERS, "iterations", "7");
        GeneratorTask task = task(options, null);
        assertEquals(7, task.poll().size());
        assertNull(task.poll());
        assertNull(task(options, Map.of("sequence", 9L)).poll());
    }

    @Test
    void generatesEveryType() throws Exception {
        Map<String, String> options =
                new HashMap<>(Map.of("name", "n", "kafka.topic", "t", "fields", "n,s,b,i,l,d,m,t", "rate", "0"));
        put(options, "n", "#{sequence}", "long");
        put(options, "s", "no. #{sequence} of #{options.option 'all'}", "string");
        put(options, "b", "#{bool.bool}", "boolean");
        put(options, "i", "#{number.numberBetween '5','6'}", "int");
        put(options, "l", "#{date.past '1','SECONDS'}", "long");
        put(options, "d", "#{number.randomDouble '2','1','2'}", "double");
        put(options, "m", "1.005", "decimal(2)");
        put(options, "t", "#{date.birthday}", "timestamp");
        SourceRecord second = generate(options, null, 2).get(1);
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
    void generatesNothingBeforeItIsDue() throws Exception {
        GeneratorTask task = task(with(ORDERS, "rate", "0.0001"), null);
        assertNull(task.poll());
    }

    private static void put(Map<String, String> options, String name, String with, String type) {
        options.put("field." + name + ".with", with);
        options.put("field." + name + ".type", type);
    }

    private static List<Object> ids(List<SourceRecord> records) {
        return records.stream().map(record -> record.key()).toList();
    }

    private static List<SourceRecord> generate(Map<String, String> options, Map<String, ?> offset, int count) throws Exception {
        GeneratorTask task = task(options, offset);
        List<SourceRecord> records = new ArrayList<>();
        while (records.size() < count) {
            List<SourceRecord> some = task.poll();
            assertFalse(some == null || some.isEmpty());
            records.addAll(some);
        }
        return records.subList(0, count);
    }

    private static GeneratorTask task(Map<String, String> options, Map<String, ?> offset) {
        GeneratorTask task = new GeneratorTask();
        task.initialize(new Context(options, offset));
        task.start(options);
        return task;
    }

    /** With the offset that Connect has committed. */
    private record Context(Map<String, String> configs, Map<String, ?> offset) implements SourceTaskContext {
        @Override
        public OffsetStorageReader offsetStorageReader() {
            return new OffsetStorageReader() {
                @Override
                @SuppressWarnings("unchecked")
                public <T> Map<String, Object> offset(Map<String, T> partition) {
                    return (Map<String, Object>) offset;
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
