package io.headwater.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.source.ExactlyOnceSupport;
import org.junit.jupiter.api.Test;

class GeneratorConfigTest {
    private static final Map<String, String> GOOD = GeneratorTaskTest.ORDERS;

    @Test
    void aGoodOneHasNothingWrong() {
        assertEquals(Map.of(), errors(GOOD));
        assertEquals(ExactlyOnceSupport.SUPPORTED, new GeneratorSource().exactlyOnceSupport(GOOD));
    }

    @Test
    void aBadExpressionNamesTheField() {
        assertEquals("field price: Datafaker cannot make #{nonsense.price}", wrong("field.price.with", "#{nonsense.price}"));
        assertEquals("field price: a } is missing in #{internet.uuid", wrong("field.price.with", "#{internet.uuid"));
        assertTrue(wrong("field.bid_time.with", "#{date.past '5','YEARS'}").startsWith("field bid_time: YEARS is no unit of time"));
    }

    @Test
    void aTypeThatDoesNotFitNamesTheField() {
        assertTrue(wrong("field.item.type", "double").matches("field item: \"\\w+\" is not a number"));
        assertTrue(wrong("field.item.type", "timestamp").contains("is not a time"));
        assertTrue(wrong("field.item.type", "boolean").contains("neither true nor false"));
        assertTrue(wrong("field.item.type", "money").startsWith("field item: there is no type money; there are string,"));
    }

    @Test
    void fieldsAndOptionsMustFit() {
        Map<String, String> told = new HashMap<>(GOOD);
        told.remove("field.item.with");
        assertEquals(List.of("field.item.with is missing: the expression of the field item"), errors(told).get("fields"));
        assertEquals("field.colour.with is for no field: put colour into fields", wrong("field.colour.with", "red"));
        assertEquals("schema.keyfield id is none of the fields", wrong("schema.keyfield", "id"));
        assertTrue(errors(GeneratorTaskTest.with(GOOD, "fields", "item,item")).get("fields").contains("the field item is there twice"));
        assertEquals(List.of("there must be at least one field"), errors(GeneratorTaskTest.with(GOOD, "fields", "")).get("fields"));
    }

    @Test
    void otherOptionsAreLookedAtToo() {
        assertTrue(errors(GeneratorTaskTest.with(GOOD, "rate", "-1")).containsKey("rate"));
        assertTrue(errors(GeneratorTaskTest.with(GOOD, "rate", "fast")).containsKey("rate"));
        assertTrue(errors(GeneratorTaskTest.with(GOOD, "kafka.topic", "")).containsKey("kafka.topic"));
        assertTrue(errors(Map.of()).containsKey("fields"));
    }

    @Test
    void aTaskRefusesWhatValidationWouldHave() {
        Map<String, String> told = GeneratorTaskTest.with(GOOD, "field.price.with", "#{nonsense.price}");
        assertThrows(ConfigException.class, () -> new GeneratorConfig(told));
    }

    private static String wrong(String name, String value) {
        List<String> said = errors(GeneratorTaskTest.with(GOOD, name, value)).get("fields");
        assertEquals(1, said.size(), () -> said.toString());
        return said.get(0);
    }

    private static Map<String, List<String>> errors(Map<String, String> told) {
        Map<String, List<String>> found = new HashMap<>();
        new GeneratorSource().validate(told).configValues().forEach(value -> {
            if (!value.errorMessages().isEmpty()) {
                found.put(value.name(), value.errorMessages());
            }
        });
        return found;
    }
}
