package io.headwater.connect.connectors;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Range;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigException;

/** The options of {@link io.headwater.connect.GeneratorSource}, named as in Confluent's Datagen where that has them. */
public final class GeneratorConfig extends AbstractConfig {
    public static final String TOPIC = "kafka.topic";
    public static final String FIELDS = "fields";
    public static final String SCHEMA_NAME = "schema.name";
    public static final String KEY_FIELD = "schema.keyfield";
    public static final String RATE = "rate";
    public static final String ITERATIONS = "iterations";
    public static final String HISTORY_RECORDS = "history.records";
    public static final String HISTORY_MS = "history.ms";
    public static final String SEED = "seed";

    private static final String FIELD_PREFIX = "field.";
    private static final String WITH_SUFFIX = ".with";
    private static final String TYPE_SUFFIX = ".type";

    public static final ConfigDef DEFINITION = new ConfigDef()
            .define(TOPIC, Type.STRING, ConfigDef.NO_DEFAULT_VALUE, new ConfigDef.NonEmptyString(), Importance.HIGH,
                    "The topic to write to.")
            .define(FIELDS, Type.LIST, ConfigDef.NO_DEFAULT_VALUE, Importance.HIGH,
                    "The names of the value's fields, in order. Each needs an option field.NAME.with: text, Datafaker "
                    + "expressions such as #{internet.uuid}, or #{sequence} for the record's number; "
                    + "#{date.past '5','SECONDS'} counts back from the record's own time. Each may have an option "
                    + "field.NAME.type: " + FieldType.NAMES + " (default: string).")
            .define(SCHEMA_NAME, Type.STRING, "", Importance.MEDIUM,
                    "The full name of the value's schema; by default the topic's name.")
            .define(KEY_FIELD, Type.STRING, "", Importance.MEDIUM,
                    "The field that is also the record's key; by default records have no key.")
            .define(RATE, Type.DOUBLE, 100.0, Range.atLeast(0), Importance.HIGH,
                    "Records per second; 0: no limit.")
            .define(ITERATIONS, Type.LONG, -1L, Range.atLeast(-1), Importance.LOW,
                    "How many records in total; -1: no limit.")
            .define(HISTORY_RECORDS, Type.LONG, 0L, Range.atLeast(0), Importance.LOW,
                    "How many records to generate at once at the first start, with times in the past.")
            .define(HISTORY_MS, Type.LONG, 3_600_000L, Range.atLeast(1), Importance.LOW,
                    "How far in the past the first of those is, in milliseconds.")
            .define(SEED, Type.LONG, null, Importance.LOW,
                    "Seed of the random values; by default derived from the connector's name.");

    private final List<GeneratedField> fields;

    public GeneratorConfig(Map<String, String> properties) {
        super(DEFINITION, properties);
        List<String> errors = fieldErrors(properties);
        if (!errors.isEmpty()) {
            throw new ConfigException(String.join("; ", errors));
        }
        fields = getList(FIELDS).stream().map(name -> field(properties, name)).toList();
    }

    public List<GeneratedField> fields() {
        return fields;
    }

    public String schemaName() {
        return getString(SCHEMA_NAME).isEmpty() ? getString(TOPIC) : getString(SCHEMA_NAME);
    }

    public long seed() {
        Long seed = getLong(SEED);
        return seed == null ? originalsStrings().getOrDefault("name", "").hashCode() : seed;
    }

    /** All errors in the fields; each names its field or option. */
    public static List<String> fieldErrors(Map<String, String> properties) {
        List<String> names = Stream.of(properties.getOrDefault(FIELDS, "").split(","))
                .map(String::strip).filter(name -> !name.isEmpty()).toList();
        if (names.isEmpty()) {
            return properties.containsKey(FIELDS) ? List.of("at least one field is required") : List.of();
        }
        List<String> errors = new ArrayList<>();
        Set<String> fields = new HashSet<>();
        for (String name : names) {
            if (!fields.add(name)) {
                errors.add("duplicate field " + name);
                continue;
            }
            try {
                field(properties, name).validate();
            } catch (RuntimeException e) {
                errors.add(e.getMessage());
            }
        }
        String key = properties.getOrDefault(KEY_FIELD, "");
        if (!key.isEmpty() && !fields.contains(key)) {
            errors.add(KEY_FIELD + " " + key + " is not one of the fields");
        }
        for (String option : properties.keySet()) {
            if (option.startsWith(FIELD_PREFIX) && !fields.contains(fieldOf(option))) {
                errors.add(option + " belongs to no field; add " + fieldOf(option) + " to " + FIELDS);
            }
        }
        return errors;
    }

    private static GeneratedField field(Map<String, String> properties, String name) {
        String expression = properties.get(FIELD_PREFIX + name + WITH_SUFFIX);
        if (expression == null) {
            throw new ConfigException(FIELD_PREFIX + name + WITH_SUFFIX + " is missing: the expression of the field " + name);
        }
        try {
            FieldType type = FieldType.of(properties.getOrDefault(FIELD_PREFIX + name + TYPE_SUFFIX, "string"));
            return new GeneratedField(name, type, Expression.of(expression));
        } catch (ConfigException e) {
            throw new ConfigException("field " + name + ": " + e.getMessage());
        }
    }

    private static String fieldOf(String option) {
        String name = option.substring(FIELD_PREFIX.length());
        for (String suffix : List.of(WITH_SUFFIX, TYPE_SUFFIX)) {
            if (name.endsWith(suffix)) {
                return name.substring(0, name.length() - suffix.length());
            }
        }
        return name;
    }
}
