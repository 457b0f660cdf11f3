package io.headwater.connect.connectors;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.connect.data.Date;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.data.Time;
import org.apache.kafka.connect.data.Timestamp;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * Translates Connect structs into Avro records of one schema. Connect schemas that differ only in name, version and
 * documentation have the same Avro schema.
 */
final class AvroTranslator {
    /** Connect's decimals have no precision; readers accept this one at most. */
    private static final int DECIMAL_PRECISION = 38;

    private static final int MAX_CACHED_SCHEMAS = 100;

    /** Whether a schema is accepted, by instance: converters use the same instance for many records. */
    private final Map<org.apache.kafka.connect.data.Schema, Boolean> accepted = new IdentityHashMap<>();
    private final Schema schema;

    private AvroTranslator(org.apache.kafka.connect.data.Schema source) {
        this.schema = translate(source, "Record");
    }

    static AvroTranslator of(SinkRecord record) {
        if (record.valueSchema() == null || record.valueSchema().type() != org.apache.kafka.connect.data.Schema.Type.STRUCT) {
            throw new DataException("Avro and Parquet need values with a schema and fields: use a converter with schemas, "
                    + "or format.class=json");
        }
        return new AvroTranslator(record.valueSchema());
    }

    Schema schema() {
        return schema;
    }

    boolean accepts(SinkRecord record) {
        if (record.valueSchema() == null) {
            return false;
        }
        if (accepted.size() >= MAX_CACHED_SCHEMAS) {
            accepted.clear();
        }
        return accepted.computeIfAbsent(record.valueSchema(), this::hasSameAvroSchema);
    }

    private boolean hasSameAvroSchema(org.apache.kafka.connect.data.Schema source) {
        return source.type() == org.apache.kafka.connect.data.Schema.Type.STRUCT && translate(source, "Record").equals(schema);
    }

    GenericRecord convert(SinkRecord record) {
        return (GenericRecord) value(record.valueSchema(), schema, record.value());
    }

    private static Schema translate(org.apache.kafka.connect.data.Schema from, String path) {
        Schema required = translateRequired(from, path);
        return from.isOptional() ? Schema.createUnion(Schema.create(Schema.Type.NULL), required) : required;
    }

    private static Schema translateRequired(org.apache.kafka.connect.data.Schema from, String path) {
        String logicalType = from.name() == null ? "" : from.name();
        switch (logicalType) {
            case Decimal.LOGICAL_NAME -> {
                int scale = Integer.parseInt(from.parameters().get(Decimal.SCALE_FIELD));
                int precision = Math.max(DECIMAL_PRECISION, scale);
                return LogicalTypes.decimal(precision, scale).addToSchema(Schema.create(Schema.Type.BYTES));
            }
            case Date.LOGICAL_NAME -> {
                return LogicalTypes.date().addToSchema(Schema.create(Schema.Type.INT));
            }
            case Time.LOGICAL_NAME -> {
                return LogicalTypes.timeMillis().addToSchema(Schema.create(Schema.Type.INT));
            }
            case Timestamp.LOGICAL_NAME -> {
                return LogicalTypes.timestampMillis().addToSchema(Schema.create(Schema.Type.LONG));
            }
            default -> { }
        }
        return switch (from.type()) {
            case INT8, INT16, INT32 -> Schema.create(Schema.Type.INT);
            case INT64 -> Schema.create(Schema.Type.LONG);
            case FLOAT32 -> Schema.create(Schema.Type.FLOAT);
            case FLOAT64 -> Schema.create(Schema.Type.DOUBLE);
            case BOOLEAN -> Schema.create(Schema.Type.BOOLEAN);
            case STRING -> Schema.create(Schema.Type.STRING);
            case BYTES -> Schema.create(Schema.Type.BYTES);
            case ARRAY -> Schema.createArray(translate(from.valueSchema(), path + "_item"));
            case MAP -> {
                if (from.keySchema().type() != org.apache.kafka.connect.data.Schema.Type.STRING) {
                    throw new DataException("Avro and Parquet need maps whose keys are strings");
                }
                yield Schema.createMap(translate(from.valueSchema(), path + "_value"));
            }
            case STRUCT -> {
                // Nested records are named after their path: Avro does not allow the same name twice.
                List<Schema.Field> fields = new ArrayList<>();
                for (Field field : from.fields()) {
                    fields.add(new Schema.Field(name(field.name()), translate(field.schema(), path + "_" + name(field.name()))));
                }
                yield Schema.createRecord(path, null, null, false, fields);
            }
        };
    }

    private static Object value(org.apache.kafka.connect.data.Schema from, Schema to, Object value) {
        if (value == null) {
            return null;
        }
        if (from.isOptional()) {
            to = to.getTypes().get(1);
        }
        if (value instanceof java.util.Date date) {
            return switch (from.name()) {
                case Date.LOGICAL_NAME -> (int) TimeUnit.MILLISECONDS.toDays(date.getTime());
                case Time.LOGICAL_NAME -> (int) date.getTime();
                default -> date.getTime();
            };
        }
        if (value instanceof BigDecimal decimal) {
            return ByteBuffer.wrap(decimal.unscaledValue().toByteArray());
        }
        return switch (from.type()) {
            case INT8, INT16 -> ((Number) value).intValue();
            case BYTES -> value instanceof byte[] bytes ? ByteBuffer.wrap(bytes) : value;
            case ARRAY -> {
                List<Object> items = new ArrayList<>();
                for (Object item : (List<?>) value) {
                    items.add(value(from.valueSchema(), to.getElementType(), item));
                }
                yield items;
            }
            case MAP -> {
                Map<Object, Object> items = new HashMap<>();
                for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                    items.put(entry.getKey(), value(from.valueSchema(), to.getValueType(), entry.getValue()));
                }
                yield items;
            }
            case STRUCT -> {
                GenericRecord record = new GenericData.Record(to);
                Struct struct = (Struct) value;
                for (Field field : from.fields()) {
                    Schema type = to.getFields().get(field.index()).schema();
                    record.put(field.index(), value(field.schema(), type, struct.get(field)));
                }
                yield record;
            }
            default -> value;
        };
    }

    /** Avro allows only letters, digits and _. */
    private static String name(String fieldName) {
        String safe = fieldName.replaceAll("[^A-Za-z0-9_]", "_");
        return safe.isEmpty() || Character.isDigit(safe.charAt(0)) ? "_" + safe : safe;
    }
}
