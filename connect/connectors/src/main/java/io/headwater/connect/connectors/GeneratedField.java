package io.headwater.connect.connectors;

import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.errors.DataException;

/** A field of generated records. */
public record GeneratedField(String name, FieldType type, Expression expression) {
    public Object value(RecordContext context) {
        try {
            return type.value(expression.evaluate(context));
        } catch (RuntimeException e) {
            throw new DataException("field " + name + ": " + e.getMessage(), e);
        }
    }

    /** Generates a value, so that errors show before the connector runs. */
    void validate() {
        try {
            value(new RecordContext().reset(0, 0, System.currentTimeMillis()));
        } catch (DataException e) {
            throw new ConfigException(e.getMessage());
        }
    }
}
