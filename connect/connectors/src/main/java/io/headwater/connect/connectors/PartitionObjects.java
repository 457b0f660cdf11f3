package io.headwater.connect.connectors;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * The objects of one partition: the one being written, perhaps a finished one that is not stored yet, and those that an
 * earlier task stored without committing their offsets.
 *
 * <p>The earlier task may have split records into objects at other offsets, as that depends on time. Its uncommitted
 * objects are overwritten by new ones of the same name, or deleted once their records are in a new one.
 */
public final class PartitionObjects {
    /** An object is in memory until it is stored. */
    private static final long MAX_OBJECT_BYTES = 64 << 20;

    private record PendingObject(long startOffset, long endOffset, byte[] content) {}

    private final S3SinkConfig config;
    private final ObjectStore store;
    private final String prefix;
    private final String extension;
    private final int maxRecords;
    private final long maxAgeMillis;

    private Format.Writer writer;
    private long startOffset;
    private int records;
    private long openedMillis;
    private PendingObject pending;
    private long nextOffset = -1;
    private List<String> uncommittedKeys;

    /** {@code topic} names the folder: a transform may have changed that of the partition. */
    public PartitionObjects(S3SinkConfig config, ObjectStore store, TopicPartition partition, String topic) {
        this.config = config;
        this.store = store;
        prefix = config.folder() + topic + "/partition=" + partition.partition() + "/"
                + partition.topic() + "+" + partition.partition() + "+";
        extension = config.format().extension(config);
        maxRecords = config.getInt(S3SinkConfig.FLUSH_SIZE);
        maxAgeMillis = config.getLong(S3SinkConfig.ROTATE_MS);
    }

    /** Connect delivers records again if storing failed. */
    public boolean isDuplicate(SinkRecord record) {
        return record.kafkaOffset() < nextOffset;
    }

    /** @param nowMillis milliseconds that never decrease */
    public void add(SinkRecord record, long nowMillis) {
        if (uncommittedKeys == null) {
            uncommittedKeys = new ArrayList<>(store.list(prefix, key(record.kafkaOffset())));
        }
        try {
            if (writer != null && !writer.accepts(record)) {
                finish(record.kafkaOffset());
            }
            if (writer == null) {
                writer = config.format().open(config, record);
                startOffset = record.kafkaOffset();
                records = 0;
                openedMillis = nowMillis;
            }
            writer.write(record);
        } catch (IOException e) {
            throw new ConnectException(e);
        }
        records++;
        nextOffset = record.kafkaOffset() + 1;
        if (records >= maxRecords || writer.size() >= MAX_OBJECT_BYTES) {
            finish(nextOffset);
        }
    }

    /** For a record that goes into no object. */
    public void skip(SinkRecord record) {
        nextOffset = record.kafkaOffset() + 1;
    }

    /** Finishes an object that is old enough. */
    public void rotate(long nowMillis) {
        if (writer != null && nowMillis - openedMillis >= maxAgeMillis) {
            finish(nextOffset);
        }
    }

    private void finish(long endOffset) {
        storePending();
        try {
            if (records > 0) {
                pending = new PendingObject(startOffset, endOffset, writer.finish());
            }
        } catch (IOException e) {
            throw new ConnectException(e);
        } finally {
            writer = null;
        }
        storePending();
    }

    /** If this fails, the object stays pending. */
    public void storePending() {
        if (pending == null) {
            return;
        }
        store.put(key(pending.startOffset), pending.content);
        List<String> replaced = uncommittedKeys.stream().filter(key -> key.compareTo(key(pending.endOffset)) < 0).toList();
        store.delete(replaced.stream().filter(key -> !key.equals(key(pending.startOffset))).toList());
        uncommittedKeys.removeAll(replaced);
        pending = null;
    }

    /** Null if all records are stored. */
    public Long firstUnstoredOffset() {
        return pending != null ? (Long) pending.startOffset : writer != null ? (Long) startOffset : null;
    }

    /** Ten digits, as in Confluent's sink: names sort by offset. */
    private String key(long offset) {
        return prefix + String.format("%010d", offset) + extension;
    }
}
