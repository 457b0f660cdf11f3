package io.headwater.connect;

import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.errors.DataException;

/** A field of the records that a generator makes. */
record Field(String name, FieldType type, Expression expression) {
    Object value(Moment moment) {
        try {
            return type.value(expression.make(moment));
        } catch (RuntimeException e) {
            throw new DataException("field " + name + ": " + e.getMessage(), e);
        }
    }

    /** Tries it out, so that what cannot work is said before anything runs. */
    void sample() {
        try {
            value(new Moment().at(0, 0, System.currentTimeMillis()));
        } catch (DataException e) {
            throw new ConfigException(e.getMessage());
        }
    }
}
