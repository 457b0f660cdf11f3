package io.headwater.connect.lineage;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Date;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Time;
import org.apache.kafka.connect.data.Timestamp;

/** A column of a dataset. Types have Avro's names, as the watcher's have: both report the same schema for a topic. */
record Column(String name, String type, List<Column> fields) {
    /** Limits schemas that contain themselves. */
    static final int MAX_DEPTH = 12;

    private static final Map<String, String> LOGICAL_TYPES = Map.of(
            Date.LOGICAL_NAME, "date", Time.LOGICAL_NAME, "time-millis", Timestamp.LOGICAL_NAME, "timestamp-millis");

    Column(String name, String type) {
        this(name, type, List.of());
    }

    /** Null without a schema. */
    static Column of(String name, Schema schema) {
        return schema == null ? null : of(name, schema, MAX_DEPTH);
    }

    /** A topic's columns: the fields of the value, or {@code value} if it has none, and {@code key}. */
    static List<Column> ofTopic(Column key, Column value) {
        if (value == null) {
            return List.of();
        }
        List<Column> columns =
                new ArrayList<>(value.type.equals("struct") ? value.fields : List.of(value.rename("value")));
        if (key != null && columns.stream().noneMatch(column -> column.name.equals("key"))) {
            columns.add(key.rename("key"));
        }
        return columns;
    }

    private Column rename(String newName) {
        return new Column(newName, type, fields);
    }

    private static Column of(String name, Schema schema, int depth) {
        if (depth == 0) {
            return new Column(name, schema.name() != null ? schema.name() : schema.type().getName());
        }
        return switch (schema.type()) {
            case STRUCT -> {
                List<Column> fields = new ArrayList<>();
                for (Field field : schema.fields()) {
                    fields.add(of(field.name(), field.schema(), depth - 1));
                }
                yield new Column(name, "struct", fields);
            }
            case ARRAY -> new Column(name, "array", List.of(of("_element", schema.valueSchema(), depth - 1)));
            case MAP -> new Column(name, "map", List.of(
                    of("key", schema.keySchema(), depth - 1), of("value", schema.valueSchema(), depth - 1)));
            default -> new Column(name, typeName(schema));
        };
    }

    private static String typeName(Schema schema) {
        if (schema.name() != null) {
            if (schema.name().equals(Decimal.LOGICAL_NAME)) {
                Map<String, String> parameters = schema.parameters() == null ? Map.of() : schema.parameters();
                // Connect's decimals have no precision; its Avro converters write 64 then.
                return "decimal(" + parameters.getOrDefault("connect.decimal.precision", "64") + ","
                        + parameters.getOrDefault(Decimal.SCALE_FIELD, "0") + ")";
            }
            if (LOGICAL_TYPES.containsKey(schema.name())) {
                return LOGICAL_TYPES.get(schema.name());
            }
        }
        return switch (schema.type()) {
            case INT8, INT16, INT32 -> "int";
            case INT64 -> "long";
            case FLOAT32 -> "float";
            case FLOAT64 -> "double";
            default -> schema.type().getName();
        };
    }
}
