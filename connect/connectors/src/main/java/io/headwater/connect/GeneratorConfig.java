package io.headwater.connect;

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

/** What a generator was told. Names that Confluent's Datagen has are used as there. */
final class GeneratorConfig extends AbstractConfig {
    static final String TOPIC = "kafka.topic";
    static final String FIELDS = "fields";
    static final String SCHEMA_NAME = "schema.name";
    static final String KEY_FIELD = "schema.keyfield";
    static final String RATE = "rate";
    static final String ITERATIONS = "iterations";
    static final String HISTORY_RECORDS = "history.records";
    static final String HISTORY_MS = "history.ms";
    static final String SEED = "seed";

    private static final String FIELD = "field.";
    private static final String WITH = ".with";
    private static final String TYPE = ".type";

    static final ConfigDef DEFINITION = new ConfigDef()
            .define(TOPIC, Type.STRING, ConfigDef.NO_DEFAULT_VALUE, new ConfigDef.NonEmptyString(), Importance.HIGH,
                    "The topic that records go to.")
            .define(FIELDS, Type.LIST, ConfigDef.NO_DEFAULT_VALUE, Importance.HIGH,
                    "The names of the value's fields, in their order. Each has an option field.NAME.with, a Datafaker "
                    + "expression such as #{internet.uuid}, #{sequence} for the record's number, or text; "
                    + "#{date.past '5','SECONDS'} counts back from the record's own time. And it may have "
                    + "field.NAME.type: " + FieldType.NAMES + " (string).")
            .define(SCHEMA_NAME, Type.STRING, "", Importance.MEDIUM,
                    "The full name of the value's schema; by default the topic's.")
            .define(KEY_FIELD, Type.STRING, "", Importance.MEDIUM,
                    "The field that is the record's key too; by default there is no key.")
            .define(RATE, Type.DOUBLE, 100.0, Range.atLeast(0), Importance.HIGH,
                    "Records a second; 0: as many as can be.")
            .define(ITERATIONS, Type.LONG, -1L, Range.atLeast(-1), Importance.LOW,
                    "How many records in all; -1: without end.")
            .define(HISTORY_RECORDS, Type.LONG, 0L, Range.atLeast(0), Importance.LOW,
                    "How many records to make at once at the first start, with times in the past.")
            .define(HISTORY_MS, Type.LONG, 3_600_000L, Range.atLeast(1), Importance.LOW,
                    "How far back the first of those lies, in milliseconds.")
            .define(SEED, Type.LONG, null, Importance.LOW,
                    "Other numbers give other values; by default made from the connector's name.");

    private final List<Field> fields;

    GeneratorConfig(Map<String, String> properties) {
        super(DEFINITION, properties);
        List<String> problems = problems(properties);
        if (!problems.isEmpty()) {
            throw new ConfigException(String.join("; ", problems));
        }
        fields = getList(FIELDS).stream().map(name -> field(properties, name)).toList();
    }

    List<Field> fields() {
        return fields;
    }

    String schemaName() {
        return getString(SCHEMA_NAME).isEmpty() ? getString(TOPIC) : getString(SCHEMA_NAME);
    }

    long seed() {
        Long told = getLong(SEED);
        return told == null ? originalsStrings().getOrDefault("name", "").hashCode() : told;
    }

    /** All that is wrong with the fields, each a sentence that names the option. */
    static List<String> problems(Map<String, String> properties) {
        List<String> names = Stream.of(properties.getOrDefault(FIELDS, "").split(","))
                .map(String::strip).filter(name -> !name.isEmpty()).toList();
        if (names.isEmpty()) {
            return properties.containsKey(FIELDS) ? List.of("there must be at least one field") : List.of();
        }
        List<String> problems = new ArrayList<>();
        Set<String> known = new HashSet<>();
        for (String name : names) {
            if (!known.add(name)) {
                problems.add("the field " + name + " is there twice");
                continue;
            }
            try {
                field(properties, name).sample();
            } catch (RuntimeException e) {
                problems.add(e.getMessage());
            }
        }
        String key = properties.getOrDefault(KEY_FIELD, "");
        if (!key.isEmpty() && !known.contains(key)) {
            problems.add(KEY_FIELD + " " + key + " is none of the fields");
        }
        for (String option : properties.keySet()) {
            if (option.startsWith(FIELD) && !known.contains(fieldOf(option))) {
                problems.add(option + " is for no field: put " + fieldOf(option) + " into " + FIELDS);
            }
        }
        return problems;
    }

    private static Field field(Map<String, String> properties, String name) {
        String with = properties.get(FIELD + name + WITH);
        if (with == null) {
            throw new ConfigException(FIELD + name + WITH + " is missing: the expression of the field " + name);
        }
        try {
            FieldType type = FieldType.of(properties.getOrDefault(FIELD + name + TYPE, "string"));
            return new Field(name, type, Expression.of(with));
        } catch (ConfigException e) {
            throw new ConfigException("field " + name + ": " + e.getMessage());
        }
    }

    private static String fieldOf(String option) {
        String rest = option.substring(FIELD.length());
        for (String end : List.of(WITH, TYPE)) {
            if (rest.endsWith(end)) {
                return rest.substring(0, rest.length() - end.length());
            }
        }
        return rest;
    }
}
