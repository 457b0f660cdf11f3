package io.headwater.connect;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * The objects of one partition: one that is being filled, at times one that waits to be stored, and those that a task
 * before this one has stored without noting it.
 *
 * Such a task may have cut its objects at other places, as time has a say in that. Its objects are replaced: by one of the
 * same name, or, when a new one has their records, by removing them.
 */
final class PartitionObjects {
    // However many records may go into an object: it is in memory until it is stored.
    private static final long LARGEST = 64 << 20;

    private record Closed(long start, long end, byte[] content) {}

    private final S3SinkConfig config;
    private final ObjectStore store;
    private final String prefix;
    private final String extension;
    private final int most;
    private final long longest;

    private Format.Writer open;
    private long start;
    private int count;
    private long opened;
    private Closed closed;
    private long next = -1;
    private List<String> unnoted;

    PartitionObjects(S3SinkConfig config, ObjectStore store, TopicPartition from, String topic) {
        this.config = config;
        this.store = store;
        prefix = config.folder() + topic + "/partition=" + from.partition() + "/" + from.topic() + "+" + from.partition() + "+";
        extension = config.format().extension(config);
        most = config.getInt(S3SinkConfig.FLUSH_SIZE);
        longest = config.getLong(S3SinkConfig.ROTATE_MS);
    }

    /** Connect brings records again when storing failed; those that are here already are left out. */
    boolean knows(SinkRecord record) {
        return record.kafkaOffset() < next;
    }

    /** @param now milliseconds that only grow */
    void add(SinkRecord record, long now) {
        if (unnoted == null) {
            unnoted = new ArrayList<>(store.list(prefix, key(record.kafkaOffset())));
        }
        try {
            if (open != null && !open.takes(record)) {
                close(record.kafkaOffset());
            }
            if (open == null) {
                open = config.format().open(config, record);
                start = record.kafkaOffset();
                count = 0;
                opened = now;
            }
            open.write(record);
        } catch (IOException e) {
            throw new ConnectException(e);
        }
        count++;
        next = record.kafkaOffset() + 1;
        if (count >= most || open.size() >= LARGEST) {
            close(next);
        }
    }

    /** A record that is not wanted counts as seen. */
    void skip(SinkRecord record) {
        next = record.kafkaOffset() + 1;
    }

    /** Closes what has waited long enough. */
    void rotate(long now) {
        if (open != null && now - opened >= longest) {
            close(next);
        }
    }

    private void close(long end) {
        store();
        try {
            if (count > 0) {
                closed = new Closed(start, end, open.finish());
            }
        } catch (IOException e) {
            throw new ConnectException(e);
        } finally {
            open = null;
        }
        store();
    }

    /** What waits. If that fails, it goes on waiting. */
    void store() {
        if (closed == null) {
            return;
        }
        store.put(key(closed.start), closed.content);
        List<String> replaced = unnoted.stream().filter(key -> key.compareTo(key(closed.end)) < 0).toList();
        store.delete(replaced.stream().filter(key -> !key.equals(key(closed.start))).toList());
        unnoted.removeAll(replaced);
        closed = null;
    }

    /** The first offset that is not stored; null when everything is that was brought here. */
    Long unstored() {
        return closed != null ? (Long) closed.start : open != null ? (Long) start : null;
    }

    /** As Confluent's sink writes it: ten digits, so that the order of names is that of offsets. */
    private String key(long offset) {
        return prefix + String.format("%010d", offset) + extension;
    }
}
