package io.headwater.connect.connectors;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoField;
import java.util.Date;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Timestamp;

/** A field's type in Connect, and how the result of an expression becomes a value of that type. */
public record FieldType(Schema schema, Function<Object, Object> convert) {
    static final String NAMES = "string, boolean, int, long, double, decimal(SCALE), timestamp";

    private static final Pattern DECIMAL = Pattern.compile("decimal\\((\\d{1,2})\\)");
    private static final DateTimeFormatter DATAFAKER_TIME = new DateTimeFormatterBuilder()
            .appendPattern("yyyy-MM-dd HH:mm:ss").appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true).toFormatter();

    static FieldType of(String name) {
        Matcher decimal = DECIMAL.matcher(name);
        if (decimal.matches()) {
            int scale = Integer.parseInt(decimal.group(1));
            return new FieldType(Decimal.schema(scale),
                    result -> new BigDecimal(text(result)).setScale(scale, RoundingMode.HALF_UP));
        }
        return switch (name) {
            case "string" -> new FieldType(Schema.STRING_SCHEMA, FieldType::text);
            case "boolean" -> new FieldType(Schema.BOOLEAN_SCHEMA, result -> parseBoolean(text(result)));
            case "int" -> new FieldType(Schema.INT32_SCHEMA, result -> Integer.valueOf(text(result)));
            case "long" -> new FieldType(Schema.INT64_SCHEMA,
                    result -> result instanceof Instant time ? time.toEpochMilli() : Long.valueOf(text(result)));
            case "double" -> new FieldType(Schema.FLOAT64_SCHEMA, result -> Double.valueOf(text(result)));
            case "timestamp" -> new FieldType(Timestamp.SCHEMA, result -> Date.from(parseTime(result)));
            default -> throw new ConfigException("unknown type " + name + "; available: " + NAMES);
        };
    }

    Object value(Object result) {
        try {
            return convert.apply(result);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("\"" + result + "\" is not a number", e);
        }
    }

    private static String text(Object result) {
        return result.toString();
    }

    private static Boolean parseBoolean(String text) {
        if (text.equals("true") || text.equals("false")) {
            return Boolean.valueOf(text);
        }
        throw new IllegalArgumentException("\"" + text + "\" is neither true nor false");
    }

    private static Instant parseTime(Object result) {
        if (result instanceof Instant time) {
            return time;
        }
        try {
            return LocalDateTime.parse(result.toString(), DATAFAKER_TIME).toInstant(ZoneOffset.UTC);
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException("\"" + result + "\" is not a time like 2026-11-15 07:00:00.000", e);
        }
    }
}
