package io.headwater.connect.connectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headwater.connect.S3Sink;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class S3SinkConfigTest {
    private static final Map<String, String> VALID = Map.of("s3.bucket.name", "archive");

    @Test
    void onlyTheBucketIsRequired() {
        assertEquals(Map.of(), errors(VALID));
    }

    @Test
    void errorsAreReportedAtTheirOption() {
        assertEquals(List.of("s3.bucket.name"), List.copyOf(errors(Map.of()).keySet()));
        assertTrue(error("s3.bucket.name", "").contains("non-empty"));
        assertTrue(error("flush.size", "0").contains("at least 1"));
        assertTrue(error("flush.size", "many").contains("Not a number"));
        assertTrue(error("rotate.interval.ms", "0").contains("at least 1"));
        assertTrue(error("format.class", "csv").contains("available: json, avro, parquet"));
        assertTrue(error("s3.compression.type", "rar").contains("none, gzip"));
        assertTrue(error("parquet.codec", "rar").contains("zstd"));
        assertTrue(error("store.url", "127.0.0.1:9000").contains("must start with http:// or https://"));
        assertTrue(error("behavior.on.null.values", "write").contains("ignore"));
    }

    @Test
    void formatsHaveShortNamesAndTheNamesOfConfluentsClasses() {
        assertEquals(Format.JSON, Format.of("json"));
        assertEquals(Format.JSON, Format.of("io.confluent.connect.s3.format.json.JsonFormat"));
        assertEquals(Format.AVRO, Format.of("io.confluent.connect.s3.format.avro.AvroFormat"));
        assertEquals(Format.PARQUET, Format.of("Parquet"));
    }

    @Test
    void theFolderMayHaveSlashesAtItsEnds() {
        assertEquals("topics/", new S3SinkConfig(VALID).folder());
        assertEquals("raw/kafka/", new S3SinkConfig(Fixtures.with(VALID, "topics.dir", "/raw/kafka/")).folder());
        assertEquals("", new S3SinkConfig(Fixtures.with(VALID, "topics.dir", "")).folder());
    }

    private static String error(String name, String value) {
        Map<String, List<String>> errors = errors(Fixtures.with(VALID, name, value));
        assertEquals(List.of(name), List.copyOf(errors.keySet()));
        return errors.get(name).get(0);
    }

    private static Map<String, List<String>> errors(Map<String, String> options) {
        return Fixtures.errors(new S3Sink(), options);
    }
}
