package io.headwater.connect;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.ErrantRecordReporter;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;

/** Puts records into objects, and lets Connect note only what is stored. */
public final class S3SinkTask extends SinkTask {
    /** Transforms may send the records of one partition to several folders. */
    private record Way(TopicPartition from, String to) {}

    private final Map<Way, PartitionObjects> ways = new HashMap<>();
    private S3SinkConfig config;
    private ObjectStore store;
    private ErrantRecordReporter deadLetters;

    @Override
    public void start(Map<String, String> properties) {
        config = new S3SinkConfig(properties);
        start(config, new S3Store(config), context.errantRecordReporter());
    }

    void start(S3SinkConfig config, ObjectStore store, ErrantRecordReporter deadLetters) {
        this.config = config;
        this.store = store;
        this.deadLetters = deadLetters;
    }

    /** Connect calls this every few seconds at least, with or without records. */
    @Override
    public void put(Collection<SinkRecord> records) {
        long now = TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
        ways.values().forEach(PartitionObjects::store);
        for (SinkRecord record : records) {
            TopicPartition from = new TopicPartition(record.originalTopic(), record.originalKafkaPartition());
            PartitionObjects objects = ways.computeIfAbsent(
                    new Way(from, record.topic()), way -> new PartitionObjects(config, store, way.from, way.to));
            if (!objects.knows(record)) {
                put(record, objects, now);
            }
        }
        ways.values().forEach(objects -> objects.rotate(now));
    }

    private void put(SinkRecord record, PartitionObjects objects, long now) {
        try {
            if (record.value() != null) {
                objects.add(record, now);
                return;
            }
            if (config.nullsFail()) {
                throw new DataException("a record without a value (behavior.on.null.values=ignore leaves them out)");
            }
        } catch (DataException e) {
            if (deadLetters == null) {
                throw e;
            }
            deadLetters.report(record, e);
        }
        objects.skip(record);
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> preCommit(Map<TopicPartition, OffsetAndMetadata> delivered) {
        Map<TopicPartition, OffsetAndMetadata> stored = new HashMap<>(delivered);
        ways.forEach((way, objects) -> {
            Long unstored = objects.unstored();
            if (unstored != null) {
                stored.computeIfPresent(way.from, (same, at) -> at.offset() <= unstored ? at : new OffsetAndMetadata(unstored));
            }
        });
        return stored;
    }

    /** What is not stored is brought again to whoever has the partition next. */
    @Override
    public void close(Collection<TopicPartition> gone) {
        ways.keySet().removeIf(way -> gone.contains(way.from));
    }

    @Override
    public void stop() {
        if (store != null) {
            store.close();
        }
    }

    @Override
    public String version() {
        return Version.NUMBER;
    }
}
