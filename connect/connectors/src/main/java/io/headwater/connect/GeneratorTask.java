package io.headwater.connect;

import io.headwater.connect.connectors.GeneratedField;
import io.headwater.connect.connectors.GeneratorConfig;
import io.headwater.connect.connectors.RateLimiter;
import io.headwater.connect.connectors.RecordContext;
import io.headwater.connect.connectors.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;

/** Generates the records, starting with the sequence number in the committed offset. */
public final class GeneratorTask extends SourceTask {
    static final String SEQUENCE = "sequence";
    static final String BEGAN = "began";

    private static final int MAX_BATCH = 5_000; // a transaction's worth at full speed, and a few megabytes at most
    private static final long IDLE_MILLIS = 20; // an even flow, and next to no work at a low rate

    private final RecordContext recordContext = new RecordContext();
    private GeneratedField[] fields;
    private Schema schema;
    private String topic;
    private int keyIndex = -1;
    private RateLimiter limiter;
    private long seed;
    private long sequence;
    private long endSequence;
    private long firstStartMillis;
    private long historyRecords;
    private long historyMillis;
    private Map<String, String> partition;

    @Override
    public void start(Map<String, String> properties) {
        GeneratorConfig config = new GeneratorConfig(properties);
        topic = config.getString(GeneratorConfig.TOPIC);
        fields = config.fields().toArray(GeneratedField[]::new);
        SchemaBuilder builder = SchemaBuilder.struct().name(config.schemaName());
        for (int i = 0; i < fields.length; i++) {
            builder.field(fields[i].name(), fields[i].type().schema());
            if (fields[i].name().equals(config.getString(GeneratorConfig.KEY_FIELD))) {
                keyIndex = i;
            }
        }
        schema = builder.build();
        seed = config.seed();
        historyRecords = config.getLong(GeneratorConfig.HISTORY_RECORDS);
        historyMillis = config.getLong(GeneratorConfig.HISTORY_MS);
        long iterations = config.getLong(GeneratorConfig.ITERATIONS);
        endSequence = iterations < 0 ? Long.MAX_VALUE : iterations;
        partition = Map.of("topic", topic);
        Map<String, Object> offset = context.offsetStorageReader().offset(partition);
        sequence = number(offset, SEQUENCE, 0);
        firstStartMillis = number(offset, BEGAN, System.currentTimeMillis());
        limiter = new RateLimiter(config.getDouble(GeneratorConfig.RATE), System::nanoTime);
    }

    /** Returns null after a short wait if no record is due, so that Connect can pause or stop the task. */
    @Override
    public List<SourceRecord> poll() throws InterruptedException {
        long count = sequence < historyRecords
                ? Math.min(MAX_BATCH, historyRecords - sequence)
                : sequence < endSequence ? limiter.due(MAX_BATCH) : 0;
        count = Math.min(count, Math.max(0, endSequence - sequence));
        if (count == 0) {
            Thread.sleep(IDLE_MILLIS);
            return null;
        }
        List<SourceRecord> records = new ArrayList<>((int) count);
        long now = System.currentTimeMillis();
        for (int i = 0; i < count; i++) {
            records.add(next(now));
        }
        return records;
    }

    private SourceRecord next(long now) {
        long time = sequence < historyRecords
                ? firstStartMillis - historyMillis + historyMillis * sequence / historyRecords
                : now;
        recordContext.reset(seed, sequence, time);
        Struct value = new Struct(schema);
        for (int i = 0; i < fields.length; i++) {
            value.put(schema.fields().get(i), fields[i].value(recordContext));
        }
        sequence++;
        Schema keySchema = keyIndex < 0 ? null : fields[keyIndex].type().schema();
        Object key = keyIndex < 0 ? null : value.get(schema.fields().get(keyIndex));
        Map<String, Object> offset = Map.of(SEQUENCE, sequence, BEGAN, firstStartMillis);
        return new SourceRecord(partition, offset, topic, null, keySchema, key, schema, value, time);
    }

    private static long number(Map<String, Object> offset, String name, long defaultValue) {
        return offset != null && offset.get(name) instanceof Number number ? number.longValue() : defaultValue;
    }

    @Override
    public void stop() {}

    @Override
    public String version() {
        return Version.NUMBER;
    }
}
