package io.headwater.connect.lineage;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.apache.kafka.connect.data.Schema;

/**
 * Counts one task's records of one topic and notices when their schemas change.
 *
 * <p>Only the task's thread writes, for every record; the delivery thread reads. So a count is an ordinary addition with
 * an opaque write, not an atomic one.
 */
final class TopicCounter {
    /**
     * Some sources build a new schema instance for every record, and some topics alternate between schemas. After this
     * many changed instances, only one record in this many is compared.
     */
    private static final int MAX_COMPARISONS = 64;

    /** After this many records without a changed instance, every change is compared again. */
    private static final int STABLE_RECORDS = 4096;

    private static final VarHandle RECORDS;

    static {
        try {
            RECORDS = MethodHandles.lookup().findVarHandle(TopicCounter.class, "records", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final String topic;

    @SuppressWarnings("unused") // through its handle
    private long records;

    private Schema lastKey;
    private Schema lastValue;
    private int instanceChanges;
    private long lastInstanceChange;
    private volatile Schemas schemas;

    /** The schemas of a record's key and value; null where there is none. */
    record Schemas(Schema key, Schema value) {}

    TopicCounter(String topic) {
        this.topic = topic;
    }

    long records() {
        return (long) RECORDS.getOpaque(this);
    }

    Schemas schemas() {
        return schemas;
    }

    /** Returns whether this is the topic's first record, or the first with another schema. */
    boolean count(Schema key, Schema value) {
        long before = (long) RECORDS.getOpaque(this);
        RECORDS.setOpaque(this, before + 1);
        // A tombstone has no schema and does not change the topic's.
        boolean sameInstances = (value == lastValue || value == null) && (key == lastKey || key == null) && before != 0;
        return !sameInstances && isNew(key, value, before);
    }

    private boolean isNew(Schema key, Schema value, long before) {
        if (before - lastInstanceChange > STABLE_RECORDS) {
            instanceChanges = 0;
        }
        lastInstanceChange = before;
        if (++instanceChanges > MAX_COMPARISONS && before % MAX_COMPARISONS != 0) {
            return false;
        }
        if (key != null) {
            lastKey = key;
        }
        if (value != null) {
            lastValue = value;
        }
        Schemas known = schemas;
        if (known != null && equal(lastKey, known.key) && equal(lastValue, known.value)) {
            return false;
        }
        schemas = new Schemas(lastKey, lastValue);
        return true;
    }

    private static boolean equal(Schema one, Schema other) {
        return one == other || (one != null && one.equals(other));
    }
}
