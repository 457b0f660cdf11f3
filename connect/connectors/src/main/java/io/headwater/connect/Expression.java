package io.headwater.connect;

import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.ConfigException;

/** How a field's value is made. Datafaker remembers what it has parsed, so an expression is understood once. */
interface Expression {
    /** A text, a Long or an Instant. */
    Object make(Moment moment);

    String SEQUENCE = "#{sequence}";
    Pattern PAST = Pattern.compile("#\\{\\s*date\\.past\\s+'(\\d+)'\\s*,\\s*'(\\w+)'\\s*}", Pattern.CASE_INSENSITIVE);
    Pattern OPENING = Pattern.compile("#\\{[^}]*$");

    static Expression of(String text) {
        if (text.strip().equals(SEQUENCE)) {
            return Moment::sequence;
        }
        int at = text.indexOf(SEQUENCE);
        if (at >= 0) {
            Expression before = of(text.substring(0, at));
            Expression after = of(text.substring(at + SEQUENCE.length()));
            return moment -> before.make(moment) + Long.toString(moment.sequence()) + after.make(moment);
        }
        Matcher past = PAST.matcher(text.strip());
        if (past.matches()) {
            return past(Long.parseLong(past.group(1)), past.group(2));
        }
        if (OPENING.matcher(text).find()) {
            throw new ConfigException("a } is missing in " + text);
        }
        return moment -> {
            try {
                return moment.faker.expression(text);
            } catch (RuntimeException e) {
                throw new IllegalArgumentException("Datafaker cannot make " + text, e);
            }
        };
    }

    /** Datafaker counts back from the present, but a record of the past has a time of its own. */
    private static Expression past(long most, String unit) {
        try {
            long milliseconds = TimeUnit.valueOf(unit.toUpperCase(Locale.ROOT)).toMillis(most);
            return moment -> Instant.ofEpochMilli(moment.time() - moment.below(milliseconds + 1));
        } catch (IllegalArgumentException e) {
            throw new ConfigException(unit + " is no unit of time: one of SECONDS, MINUTES, HOURS, DAYS");
        }
    }
}
