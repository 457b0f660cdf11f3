package io.headwater.connect;

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

/** A field's type in Connect, and how what an expression made becomes a value of it. */
record FieldType(Schema schema, Function<Object, Object> convert) {
    static final String NAMES = "string, boolean, int, long, double, decimal(SCALE), timestamp";

    private static final Pattern DECIMAL = Pattern.compile("decimal\\((\\d{1,2})\\)");
    private static final DateTimeFormatter DATAFAKER = new DateTimeFormatterBuilder()
            .appendPattern("yyyy-MM-dd HH:mm:ss").appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true).toFormatter();

    static FieldType of(String name) {
        Matcher decimal = DECIMAL.matcher(name);
        if (decimal.matches()) {
            int scale = Integer.parseInt(decimal.group(1));
            return new FieldType(Decimal.schema(scale), made -> new BigDecimal(text(made)).setScale(scale, RoundingMode.HALF_UP));
        }
        return switch (name) {
            case "string" -> new FieldType(Schema.STRING_SCHEMA, FieldType::text);
            case "boolean" -> new FieldType(Schema.BOOLEAN_SCHEMA, made -> truth(text(made)));
            case "int" -> new FieldType(Schema.INT32_SCHEMA, made -> Integer.valueOf(text(made)));
            case "long" -> new FieldType(Schema.INT64_SCHEMA, made -> made instanceof Instant at ? at.toEpochMilli() : Long.valueOf(text(made)));
            case "double" -> new FieldType(Schema.FLOAT64_SCHEMA, made -> Double.valueOf(text(made)));
            case "timestamp" -> new FieldType(Timestamp.SCHEMA, made -> Date.from(instant(made)));
            default -> throw new ConfigException("there is no type " + name + "; there are " + NAMES);
        };
    }

    Object value(Object made) {
        try {
            return convert.apply(made);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("\"" + made + "\" is not a number", e);
        }
    }

    private static String text(Object made) {
        return made.toString();
    }

    private static Boolean truth(String text) {
        if (text.equals("true") || text.equals("false")) {
            return Boolean.valueOf(text);
        }
        throw new IllegalArgumentException("\"" + text + "\" is neither true nor false");
    }

    private static Instant instant(Object made) {
        if (made instanceof Instant at) {
            return at;
        }
        try {
            return LocalDateTime.parse(made.toString(), DATAFAKER).toInstant(ZoneOffset.UTC);
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException("\"" + made + "\" is not a time like 2026-11-15 07:00:00.000", e);
        }
    }
}
