package io.headwater.connect.connectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headwater.connect.GeneratorSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.source.ExactlyOnceSupport;
import org.junit.jupiter.api.Test;

class GeneratorConfigTest {
    private static final Map<String, String> VALID = Fixtures.ORDERS;

    @Test
    void validOptionsHaveNoErrors() {
        assertEquals(Map.of(), errors(VALID));
        assertEquals(ExactlyOnceSupport.SUPPORTED, new GeneratorSource().exactlyOnceSupport(VALID));
    }

    @Test
    void aBadExpressionIsReportedWithItsField() {
        assertEquals("field price: Datafaker cannot evaluate #{nonsense.price}",
                fieldError("field.price.with", "#{nonsense.price}"));
        assertEquals("field price: a } is missing in #{internet.uuid", fieldError("field.price.with", "#{internet.uuid"));
        assertTrue(fieldError("field.bid_time.with", "#{date.past '5','YEARS'}")
                .startsWith("field bid_time: unknown unit of time YEARS; available: SECONDS,"));
    }

    @Test
    void aTypeThatDoesNotFitIsReportedWithItsField() {
        assertTrue(fieldError("field.item.type", "double").matches("field item: \"\\w+\" is not a number"));
        assertTrue(fieldError("field.item.type", "timestamp").contains("is not a time"));
        assertTrue(fieldError("field.item.type", "boolean").contains("neither true nor false"));
        assertTrue(fieldError("field.item.type", "money").startsWith("field item: unknown type money; available: string,"));
    }

    @Test
    void fieldsAndTheirOptionsMustMatch() {
        Map<String, String> options = new HashMap<>(VALID);
        options.remove("field.item.with");
        assertEquals(List.of("field.item.with is missing: the expression of the field item"), errors(options).get("fields"));
        assertEquals("field.colour.with belongs to no field; add colour to fields", fieldError("field.colour.with", "red"));
        assertEquals("schema.keyfield id is not one of the fields", fieldError("schema.keyfield", "id"));
        assertTrue(errors(Fixtures.with(VALID, "fields", "item,item")).get("fields").contains("duplicate field item"));
        assertEquals(List.of("at least one field is required"), errors(Fixtures.with(VALID, "fields", "")).get("fields"));
    }

    @Test
    void otherOptionsAreValidated() {
        assertTrue(errors(Fixtures.with(VALID, "rate", "-1")).containsKey("rate"));
        assertTrue(errors(Fixtures.with(VALID, "rate", "fast")).containsKey("rate"));
        assertTrue(errors(Fixtures.with(VALID, "kafka.topic", "")).containsKey("kafka.topic"));
        assertTrue(errors(Map.of()).containsKey("fields"));
    }

    @Test
    void aTaskRejectsWhatValidationRejects() {
        Map<String, String> options = Fixtures.with(VALID, "field.price.with", "#{nonsense.price}");
        assertThrows(ConfigException.class, () -> new GeneratorConfig(options));
    }

    private static String fieldError(String name, String value) {
        List<String> errors = errors(Fixtures.with(VALID, name, value)).get("fields");
        assertEquals(1, errors.size(), () -> errors.toString());
        return errors.get(0);
    }

    private static Map<String, List<String>> errors(Map<String, String> options) {
        return Fixtures.errors(new GeneratorSource(), options);
    }
}
