package io.headwater.connect;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;

/** Makes the records, from the number on that Connect has noted. */
public final class GeneratorTask extends SourceTask {
    static final String SEQUENCE = "sequence";
    static final String BEGAN = "began";

    private static final int BATCH = 5_000; // a transaction's worth at full speed, and a few megabytes at most
    private static final long TICK = 20; // milliseconds: an even flow, and next to no work at a low rate

    private final Moment moment = new Moment();
    private Field[] fields;
    private Schema schema;
    private String topic;
    private int key = -1;
    private Pace pace;
    private long seed;
    private long sequence;
    private long last;
    private long began;
    private long history;
    private long span;
    private Map<String, String> partition;

    @Override
    public void start(Map<String, String> properties) {
        GeneratorConfig config = new GeneratorConfig(properties);
        topic = config.getString(GeneratorConfig.TOPIC);
        fields = config.fields().toArray(Field[]::new);
        SchemaBuilder builder = SchemaBuilder.struct().name(config.schemaName());
        for (int i = 0; i < fields.length; i++) {
            builder.field(fields[i].name(), fields[i].type().schema());
            if (fields[i].name().equals(config.getString(GeneratorConfig.KEY_FIELD))) {
                key = i;
            }
        }
        schema = builder.build();
        seed = config.seed();
        history = config.getLong(GeneratorConfig.HISTORY_RECORDS);
        span = config.getLong(GeneratorConfig.HISTORY_MS);
        long iterations = config.getLong(GeneratorConfig.ITERATIONS);
        last = iterations < 0 ? Long.MAX_VALUE : iterations;
        partition = Map.of("topic", topic);
        Map<String, Object> noted = context.offsetStorageReader().offset(partition);
        sequence = number(noted, SEQUENCE, 0);
        began = number(noted, BEGAN, System.currentTimeMillis());
        pace = new Pace(config.getDouble(GeneratorConfig.RATE), System::nanoTime);
    }

    /** Nothing, after a moment, when nothing is due: so Connect can pause or stop the task. */
    @Override
    public List<SourceRecord> poll() throws InterruptedException {
        long count = sequence < history
                ? Math.min(BATCH, history - sequence)
                : sequence < last ? pace.due(BATCH) : 0;
        count = Math.min(count, Math.max(0, last - sequence));
        if (count == 0) {
            Thread.sleep(TICK);
            return null;
        }
        List<SourceRecord> made = new ArrayList<>((int) count);
        long now = System.currentTimeMillis();
        for (int i = 0; i < count; i++) {
            made.add(next(now));
        }
        return made;
    }

    private SourceRecord next(long now) {
        long time = sequence < history ? began - span + span * sequence / history : now;
        moment.at(seed, sequence, time);
        Struct value = new Struct(schema);
        for (int i = 0; i < fields.length; i++) {
            value.put(schema.fields().get(i), fields[i].value(moment));
        }
        sequence++;
        Schema keySchema = key < 0 ? null : fields[key].type().schema();
        Object keyValue = key < 0 ? null : value.get(schema.fields().get(key));
        Map<String, Object> offset = Map.of(SEQUENCE, sequence, BEGAN, began);
        return new SourceRecord(partition, offset, topic, null, keySchema, keyValue, schema, value, time);
    }

    private static long number(Map<String, Object> noted, String name, long otherwise) {
        return noted != null && noted.get(name) instanceof Number number ? number.longValue() : otherwise;
    }

    @Override
    public void stop() {}

    @Override
    public String version() {
        return Version.NUMBER;
    }
}
