package io.headwater.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.headwater.connect.connectors.S3SinkConfig;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;

class S3SinkTaskTest {
    private static final TopicPartition PARTITION = new TopicPartition("orders", 0);
    private static final Schema SCHEMA = SchemaBuilder.struct().field("n", Schema.INT64_SCHEMA).build();
    private static final Schema WIDER =
            SchemaBuilder.struct().field("n", Schema.INT64_SCHEMA).field("more", Schema.OPTIONAL_STRING_SCHEMA).build();

    private final MemoryStore store = new MemoryStore();
    private final List<SinkRecord> deadLetters = new ArrayList<>();

    @Test
    void anObjectIsStoredAfterFlushSizeRecords() {
        S3SinkTask task = task("flush.size", "3");
        task.put(records(0, 7));
        assertEquals(List.of("0,1,2", "3,4,5"), contents());
        assertEquals("topics/orders/partition=0/orders+0+0000000000.json", store.objects.firstKey());
        assertEquals(6, commit(task, 7));
        task.put(records(7, 9));
        assertEquals(List.of("0,1,2", "3,4,5", "6,7,8"), contents());
        assertEquals(9, commit(task, 9));
    }

    @Test
    void anObjectIsStoredAfterTheRotateInterval() {
        S3SinkTask task = task("rotate.interval.ms", "1");
        task.put(records(0, 2));
        waitFor(() -> {
            task.put(List.of());
            return !store.objects.isEmpty();
        });
        assertEquals(List.of("0,1"), contents());
        assertEquals(2, commit(task, 2));
    }

    @Test
    void onlyOffsetsOfStoredRecordsAreCommitted() {
        S3SinkTask task = task();
        task.put(records(5, 8));
        assertEquals(5, commit(task, 8));
    }

    @Test
    void anUnavailableStoreLosesAndDuplicatesNothing() {
        S3SinkTask task = task("flush.size", "3");
        task.put(records(0, 4));
        store.unavailable = true;
        List<SinkRecord> batch = records(4, 11);
        assertThrows(RetriableException.class, () -> task.put(batch));
        assertThrows(RetriableException.class, () -> task.put(batch));
        assertEquals(3, commit(task, 4));
        store.unavailable = false;
        task.put(batch);
        task.put(records(11, 12));
        assertEquals(List.of("0,1,2", "3,4,5", "6,7,8", "9,10,11"), contents());
        assertEquals(12, commit(task, 12));
    }

    @Test
    void anUncommittedObjectIsReplaced() {
        task("flush.size", "3").put(records(0, 9));
        // Offset 3 was committed, and the next task splits at other offsets.
        S3SinkTask next = task("flush.size", "5");
        next.put(records(3, 8));
        assertEquals(List.of("0,1,2", "3,4,5,6,7"), contents());
        assertEquals(8, commit(next, 8));
        next.put(records(8, 13));
        assertEquals(List.of("0,1,2", "3,4,5,6,7", "8,9,10,11,12"), contents());
    }

    @Test
    void laterObjectsStay() {
        store.put("topics/orders/partition=0/orders+0+0000000100.json", "{\"n\":100}\n".getBytes(StandardCharsets.UTF_8));
        task("flush.size", "3").put(records(0, 3));
        assertEquals(List.of("0,1,2", "100"), contents());
    }

    /** Tasks may die and the store may be unavailable at any moment. */
    @Test
    void eachRecordIsStoredExactlyOnce() {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            store.objects.clear();
            store.unavailable = false;
            long committed = 0;
            int total = 200;
            while (committed < total) {
                S3SinkTask task = task("flush.size", String.valueOf(1 + random.nextInt(20)));
                long position = committed;
                boolean alive = true;
                while (alive && position < total) {
                    long end = Math.min(total, position + 1 + random.nextInt(30));
                    store.unavailable = random.nextInt(4) == 0;
                    List<SinkRecord> batch = records(position, end);
                    try {
                        task.put(batch);
                    } catch (RetriableException e) {
                        store.unavailable = false;
                        task.put(batch);
                    }
                    position = end;
                    if (random.nextInt(3) == 0) {
                        committed = commit(task, position);
                    }
                    alive = random.nextInt(6) > 0;
                }
                if (position == total) {
                    store.unavailable = false;
                    long stored = commit(task, total);
                    // The rest is stored after the rotate interval.
                    S3SinkTask lastTask = task("flush.size", String.valueOf(Math.max(1, total - stored)));
                    if (stored < total) {
                        lastTask.put(records(stored, total));
                    }
                    committed = total;
                }
            }
            List<String> numbers = new ArrayList<>();
            contents().forEach(content -> numbers.addAll(List.of(content.split(","))));
            numbers.sort((a, b) -> Integer.compare(Integer.parseInt(a), Integer.parseInt(b)));
            assertEquals(IntStream.range(0, total).mapToObj(String::valueOf).toList(), numbers, "seed " + seed);
        }
    }

    @Test
    void aRecordWithoutValueFailsOrIsIgnored() {
        assertThrows(DataException.class, () -> taskWithoutDeadLetters().put(List.of(record(0, null, null))));
        S3SinkTask task = task("flush.size", "1");
        task.put(List.of(record(0, null, null)));
        assertEquals(1, deadLetters.size());
        assertEquals(1, commit(task, 1));
        task("behavior.on.null.values", "ignore").put(List.of(record(1, null, null)));
        assertEquals(1, deadLetters.size());
        assertEquals(List.of(), contents());
    }

    @Test
    void aRecordWithoutFieldsIsADeadLetterInAvro() {
        S3SinkTask task = task("format.class", "avro", "flush.size", "2");
        task.put(List.of(record(0), record(1, Schema.STRING_SCHEMA, "text"), record(2), record(3, null, Map.of("n", 3L)), record(4)));
        assertEquals(List.of(1L, 3L), deadLetters.stream().map(record -> record.kafkaOffset()).toList());
        assertEquals(2, store.objects.size());
        assertEquals(4, commit(task, 5));
    }

    @Test
    void anotherSchemaStartsANewObject() {
        S3SinkTask task = task("format.class", "parquet", "flush.size", "3");
        task.put(List.of(record(0), record(1, WIDER, new Struct(WIDER).put("n", 1L)), record(2), record(3)));
        assertEquals(2, store.objects.size());
        assertEquals(2, commit(task, 4));
    }

    @Test
    void schemasWithTheSameFieldsShareAnObject() {
        Schema named = SchemaBuilder.struct().name("other").version(2).doc("other").field("n", Schema.INT64_SCHEMA).build();
        S3SinkTask task = task("format.class", "parquet", "flush.size", "4");
        task.put(List.of(record(0), record(1, named, new Struct(named).put("n", 1L)), record(2), record(3)));
        assertEquals(1, store.objects.size());
    }

    @Test
    void aRevokedPartitionIsForgotten() {
        S3SinkTask task = task("flush.size", "3");
        task.put(records(0, 2));
        task.close(List.of(PARTITION));
        task.put(records(0, 3));
        assertEquals(List.of("0,1,2"), contents());
    }

    @Test
    void topicsThatATransformMergesKeepTheirNamesInTheirObjects() {
        S3SinkTask task = task("flush.size", "1");
        task.put(List.of(record(0).newRecord("all", 0, null, null, null, Map.of("n", 0), 0L)));
        SinkRecord other = new SinkRecord("returns", 0, null, null, null, Map.of("n", 1), 0);
        task.put(List.of(other.newRecord("all", 0, null, null, null, Map.of("n", 1), 0L)));
        assertEquals(List.of("topics/all/partition=0/orders+0+0000000000.json", "topics/all/partition=0/returns+0+0000000000.json"),
                List.copyOf(store.objects.keySet()));
    }

    private static List<SinkRecord> records(long from, long to) {
        return LongStream.range(from, to).mapToObj(S3SinkTaskTest::record).toList();
    }

    private static SinkRecord record(long offset) {
        return record(offset, SCHEMA, new Struct(SCHEMA).put("n", offset));
    }

    private static SinkRecord record(long offset, Schema schema, Object value) {
        return new SinkRecord("orders", 0, null, null, schema, value, offset, 0L, TimestampType.CREATE_TIME);
    }

    private List<String> contents() {
        return store.objects.values().stream()
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                .map(text -> String.join(",", text.replaceAll("[^0-9\n]", "").split("\n")))
                .toList();
    }

    private static long commit(S3SinkTask task, long position) {
        return task.preCommit(Map.of(PARTITION, new OffsetAndMetadata(position))).get(PARTITION).offset();
    }

    private S3SinkTask task(String... options) {
        S3SinkTask task = new S3SinkTask();
        task.start(config(options), store, (record, error) -> {
            deadLetters.add(record);
            return CompletableFuture.completedFuture(null);
        });
        return task;
    }

    private S3SinkTask taskWithoutDeadLetters() {
        S3SinkTask task = new S3SinkTask();
        task.start(config(), store, null);
        return task;
    }

    private static S3SinkConfig config(String... options) {
        Map<String, String> allOptions = new HashMap<>(Map.of("s3.bucket.name", "archive"));
        for (int i = 0; i < options.length; i += 2) {
            allOptions.put(options[i], options[i + 1]);
        }
        return new S3SinkConfig(allOptions);
    }

    private static void waitFor(java.util.function.BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Thread.onSpinWait();
        }
    }
}
