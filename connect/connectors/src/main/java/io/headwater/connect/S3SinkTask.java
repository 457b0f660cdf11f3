package io.headwater.connect;

import io.headwater.connect.connectors.ObjectStore;
import io.headwater.connect.connectors.PartitionObjects;
import io.headwater.connect.connectors.S3SinkConfig;
import io.headwater.connect.connectors.S3Store;
import io.headwater.connect.connectors.Version;
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

/** Writes records into objects, and lets Connect commit only the offsets of stored records. */
public final class S3SinkTask extends SinkTask {
    /** A partition and the topic that a transform gave its records: one partition may go into several folders. */
    private record Route(TopicPartition partition, String topic) {}

    private final Map<Route, PartitionObjects> objectsByRoute = new HashMap<>();
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
        objectsByRoute.values().forEach(PartitionObjects::storePending);
        for (SinkRecord record : records) {
            TopicPartition partition = new TopicPartition(record.originalTopic(), record.originalKafkaPartition());
            PartitionObjects objects = objectsByRoute.computeIfAbsent(new Route(partition, record.topic()),
                    route -> new PartitionObjects(config, store, route.partition, route.topic));
            if (!objects.isDuplicate(record)) {
                put(record, objects, now);
            }
        }
        objectsByRoute.values().forEach(objects -> objects.rotate(now));
    }

    private void put(SinkRecord record, PartitionObjects objects, long now) {
        try {
            if (record.value() != null) {
                objects.add(record, now);
                return;
            }
            if (config.nullsFail()) {
                throw new DataException("the record has no value; behavior.on.null.values=ignore skips such records");
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
        objectsByRoute.forEach((route, objects) -> {
            Long unstored = objects.firstUnstoredOffset();
            if (unstored != null) {
                stored.computeIfPresent(route.partition,
                        (k, offset) -> offset.offset() <= unstored ? offset : new OffsetAndMetadata(unstored));
            }
        });
        return stored;
    }

    /** Records that are not stored yet are delivered again, to the partition's next task. */
    @Override
    public void close(Collection<TopicPartition> partitions) {
        objectsByRoute.keySet().removeIf(route -> partitions.contains(route.partition));
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
