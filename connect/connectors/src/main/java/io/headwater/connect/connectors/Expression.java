package io.headwater.connect.connectors;

import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.ConfigException;

/** An expression that generates a field's value. Datafaker caches what it has parsed. */
interface Expression {
    /** Returns a String, a Long or an Instant. */
    Object evaluate(RecordContext context);

    String SEQUENCE = "#{sequence}";
    Pattern DATE_PAST = Pattern.compile("#\\{\\s*date\\.past\\s+'(\\d+)'\\s*,\\s*'(\\w+)'\\s*}", Pattern.CASE_INSENSITIVE);
    Pattern UNCLOSED = Pattern.compile("#\\{[^}]*$");

    static Expression of(String text) {
        if (text.strip().equals(SEQUENCE)) {
            return RecordContext::sequence;
        }
        int index = text.indexOf(SEQUENCE);
        if (index >= 0) {
            Expression before = of(text.substring(0, index));
            Expression after = of(text.substring(index + SEQUENCE.length()));
            return context -> before.evaluate(context) + Long.toString(context.sequence()) + after.evaluate(context);
        }
        Matcher past = DATE_PAST.matcher(text.strip());
        if (past.matches()) {
            return datePast(Long.parseLong(past.group(1)), past.group(2));
        }
        if (UNCLOSED.matcher(text).find()) {
            throw new ConfigException("a } is missing in " + text);
        }
        return context -> {
            try {
                return context.faker.expression(text);
            } catch (RuntimeException e) {
                throw new IllegalArgumentException("Datafaker cannot evaluate " + text, e);
            }
        };
    }

    /** Counts back from the record's time; Datafaker's own function counts back from the present. */
    private static Expression datePast(long max, String unit) {
        try {
            long maxMillis = TimeUnit.valueOf(unit.toUpperCase(Locale.ROOT)).toMillis(max);
            return context -> Instant.ofEpochMilli(context.time() - context.randomBelow(maxMillis + 1));
        } catch (IllegalArgumentException e) {
            throw new ConfigException("unknown unit of time " + unit + "; available: SECONDS, MINUTES, HOURS, DAYS");
        }
    }
}
