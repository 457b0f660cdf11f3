package io.headwater.connect.lineage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LineageConfigTest {
    @Test
    void has_defaults_and_ignores_a_trailing_slash() {
        LineageConfig config = new LineageConfig(Fixtures.options(LineageConfig.URL, "http://headwater:5000/"));
        assertEquals("http://headwater:5000", config.url());
        assertEquals("kafka-connect", config.namespace());
        assertEquals("kafka://broker:9092", config.kafkaNamespace());
        assertEquals(30_000, config.intervalMillis());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "transport.url|headwater:5000|must be a URL such as http://host:5000",
        "transport.url|ftp://x|must be a URL such as http://host:5000",
        "registry.url|not a url|must be a URL such as http://host:5000",
        "connect.url|:8083|must be a URL such as http://host:5000",
        "kafka|broker|must be a broker address such as host:9092",
        "kafka|a:1,b:2|must be a broker address such as host:9092",
        "interval.ms|5|at least 1000",
        "transport.timeout.ms|5|at least 100",
        "dataset.columns|all|must be one of",
        "dataset.name|x|belong together",
        "dataset.namespace|x|belong together",
        "dataset.columns|identity|needs dataset.namespace and dataset.name",
        "registry.user|me|belong together",
    })
    void bad_options_are_explained(String option, String value, String message) {
        ConfigException e = assertThrows(ConfigException.class, () -> new LineageConfig(Fixtures.options(option, value)));
        assertTrue(e.getMessage().contains(message), e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"broker:9092", "10.0.0.1:9092", "[::1]:9092", "b-1.cluster_x.local:19092"})
    void accepts_broker_addresses(String address) {
        assertEquals("kafka://" + address, new LineageConfig(Fixtures.options(LineageConfig.KAFKA, address)).kafkaNamespace());
    }

    @Test
    void every_option_is_documented_and_secrets_are_hidden() {
        LineageConfig.definition().configKeys().values().forEach(key -> assertFalse(key.documentation.isEmpty(), key.name));
        LineageConfig config = new LineageConfig(Fixtures.options(
                LineageConfig.API_KEY, "sesame", LineageConfig.REGISTRY_USER, "me", LineageConfig.REGISTRY_PASSWORD, "sesame"));
        assertEquals("sesame", config.apiKey());
        assertFalse(config.values().toString().contains("sesame"));
    }
}
