package io.headwater.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class S3SinkConfigTest {
    private static final Map<String, String> GOOD = Map.of("s3.bucket.name", "archive");

    @Test
    void aBucketIsEnough() {
        assertEquals(Map.of(), errors(GOOD));
    }

    @Test
    void whatIsWrongIsSaidAtTheOption() {
        assertEquals(List.of("s3.bucket.name"), List.copyOf(errors(Map.of()).keySet()));
        assertTrue(wrong("s3.bucket.name", "").contains("non-empty"));
        assertTrue(wrong("flush.size", "0").contains("at least 1"));
        assertTrue(wrong("flush.size", "many").contains("Not a number"));
        assertTrue(wrong("rotate.interval.ms", "0").contains("at least 1"));
        assertTrue(wrong("format.class", "csv").contains("there are json, avro, parquet"));
        assertTrue(wrong("s3.compression.type", "rar").contains("none, gzip"));
        assertTrue(wrong("parquet.codec", "rar").contains("zstd"));
        assertTrue(wrong("store.url", "127.0.0.1:9000").contains("begins with http:// or https://"));
        assertTrue(wrong("behavior.on.null.values", "write").contains("ignore"));
    }

    @Test
    void formatsByNameOrByTheClassesThatPeopleKnow() {
        assertEquals(Format.JSON, Format.of("json"));
        assertEquals(Format.JSON, Format.of("io.confluent.connect.s3.format.json.JsonFormat"));
        assertEquals(Format.AVRO, Format.of("io.confluent.connect.s3.format.avro.AvroFormat"));
        assertEquals(Format.PARQUET, Format.of("Parquet"));
    }

    @Test
    void foldersWithOrWithoutSlashes() {
        assertEquals("topics/", new S3SinkConfig(GOOD).folder());
        assertEquals("raw/kafka/", new S3SinkConfig(GeneratorTaskTest.with(GOOD, "topics.dir", "/raw/kafka/")).folder());
        assertEquals("", new S3SinkConfig(GeneratorTaskTest.with(GOOD, "topics.dir", "")).folder());
    }

    private static String wrong(String name, String value) {
        Map<String, List<String>> found = errors(GeneratorTaskTest.with(GOOD, name, value));
        assertEquals(List.of(name), List.copyOf(found.keySet()));
        return found.get(name).get(0);
    }

    private static Map<String, List<String>> errors(Map<String, String> told) {
        Map<String, List<String>> found = new HashMap<>();
        new S3Sink().validate(told).configValues().forEach(value -> {
            if (!value.errorMessages().isEmpty()) {
                found.put(value.name(), value.errorMessages());
            }
        });
        return found;
    }
}
