package io.headwater.connect;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.apache.kafka.connect.data.Schema;

/**
 * What one task saw of one topic: how many records, and with which schemas.
 *
 * <p>Written by the task's thread alone, for every record; read by the thread that tells. So a count is an ordinary
 * addition with an opaque write, not an atomic one.
 */
final class TopicFlow {
    /**
     * Schemas that are another instance for every record (some sources make them anew), or that take turns, are
     * compared for so many records, and then only once in so many.
     */
    private static final int PATIENCE = 64;

    /** After so many records in a row with schemas that were known, everything is compared again. */
    private static final int CALM = 4096;

    private static final VarHandle RECORDS;

    static {
        try {
            RECORDS = MethodHandles.lookup().findVarHandle(TopicFlow.class, "records", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final String topic;

    @SuppressWarnings("unused") // through its handle
    private long records;

    private Schema lastKey;
    private Schema lastValue;
    private int strain;
    private long lastOther;
    private volatile Schemas schemas;

    /** The schemas of a record; null for a part without one. */
    record Schemas(Schema key, Schema value) {}

    TopicFlow(String topic) {
        this.topic = topic;
    }

    long records() {
        return (long) RECORDS.getOpaque(this);
    }

    Schemas schemas() {
        return schemas;
    }

    /** Whether there is something to tell: this is the first record, or one with another schema. */
    boolean count(Schema key, Schema value) {
        long before = (long) RECORDS.getOpaque(this);
        RECORDS.setOpaque(this, before + 1);
        // A tombstone has no schema, and says nothing about the topic's.
        boolean known = (value == lastValue || value == null) && (key == lastKey || key == null) && before != 0;
        return !known && isNew(key, value, before);
    }

    private boolean isNew(Schema key, Schema value, long before) {
        if (before - lastOther > CALM) {
            strain = 0;
        }
        lastOther = before;
        if (++strain > PATIENCE && before % PATIENCE != 0) {
            return false;
        }
        if (key != null) {
            lastKey = key;
        }
        if (value != null) {
            lastValue = value;
        }
        Schemas told = schemas;
        if (told != null && same(lastKey, told.key) && same(lastValue, told.value)) {
            return false;
        }
        schemas = new Schemas(lastKey, lastValue);
        return true;
    }

    private static boolean same(Schema one, Schema other) {
        return one == other || (one != null && one.equals(other));
    }
}
