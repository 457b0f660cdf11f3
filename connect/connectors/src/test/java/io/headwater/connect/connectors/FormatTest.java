package io.headwater.connect.connectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.apache.avro.file.DataFileStream;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.data.Timestamp;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;

/** Objects can be read without Connect. */
class FormatTest {
    private static final Schema LINE = SchemaBuilder.struct().field("item", Schema.STRING_SCHEMA).field("count", Schema.INT8_SCHEMA).build();
    private static final Schema ORDER = SchemaBuilder.struct().name("shop.Order")
            .field("id", Schema.STRING_SCHEMA)
            .field("total", Decimal.schema(2))
            .field("at", Timestamp.SCHEMA)
            .field("day", SchemaBuilder.int32().name(org.apache.kafka.connect.data.Date.LOGICAL_NAME).version(1).build())
            .field("note", Schema.OPTIONAL_STRING_SCHEMA)
            .field("raw", Schema.BYTES_SCHEMA)
            .field("first-line", LINE)
            .field("lines", SchemaBuilder.array(LINE).build())
            .field("tags", SchemaBuilder.map(Schema.STRING_SCHEMA, Schema.FLOAT64_SCHEMA).optional().build())
            .build();

    @Test
    void json() throws IOException {
        byte[] bytes = write("json", "s3.compression.type", "gzip");
        String text = new String(new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(2, text.lines().count());
        assertEquals("{\"id\":\"a\",\"total\":12.50,\"at\":1000,\"day\":2,\"note\":null,\"raw\":\"AQI=\","
                + "\"first-line\":{\"item\":\"tea\",\"count\":2},\"lines\":[{\"item\":\"tea\",\"count\":2}],\"tags\":{\"x\":0.5}}",
                text.lines().findFirst().orElseThrow());
    }

    @Test
    void avro() throws IOException {
        for (String codec : List.of("null", "deflate", "snappy")) {
            try (DataFileStream<GenericRecord> in = new DataFileStream<>(
                    new ByteArrayInputStream(write("avro", "avro.codec", codec)), new GenericDatumReader<>())) {
                assertFirstOrder(in.next());
                assertEquals("b", in.next().get("id").toString());
            }
        }
    }

    /** Hadoop is not on the classpath. tests/connect reads the content with pyarrow. */
    @Test
    void parquet() throws IOException {
        for (String codec : List.of("none", "gzip", "snappy", "zstd")) {
            String text = new String(write("parquet", "parquet.codec", codec), StandardCharsets.ISO_8859_1);
            assertTrue(text.startsWith("PAR1") && text.endsWith("PAR1"), codec);
        }
    }

    private static void assertFirstOrder(GenericRecord order) {
        assertEquals("a", order.get("id").toString());
        assertEquals(ByteBuffer.wrap(new BigDecimal("12.50").unscaledValue().toByteArray()), order.get("total"));
        assertEquals(1000L, order.get("at"));
        assertEquals(2, order.get("day"));
        assertNull(order.get("note"));
        assertEquals("tea", ((GenericRecord) order.get("first_line")).get("item").toString());
        assertEquals(2, ((GenericRecord) ((List<?>) order.get("lines")).get(0)).get("count"));
        assertEquals(0.5, ((Map<?, ?>) order.get("tags")).values().iterator().next());
    }

    private static byte[] write(String format, String option, String value) throws IOException {
        S3SinkConfig config = new S3SinkConfig(Map.of("s3.bucket.name", "b", "format.class", format, option, value));
        SinkRecord first = record("a");
        Format.Writer writer = config.format().open(config, first);
        writer.write(first);
        writer.write(record("b"));
        return writer.finish();
    }

    private static SinkRecord record(String id) {
        Struct line = new Struct(LINE).put("item", "tea").put("count", (byte) 2);
        Struct order = new Struct(ORDER).put("id", id).put("total", new BigDecimal("12.50")).put("at", new Date(1000))
                .put("day", new Date(2 * 86_400_000L)).put("raw", new byte[] {1, 2}).put("first-line", line)
                .put("lines", List.of(line)).put("tags", Map.of("x", 0.5));
        return new SinkRecord("orders", 0, null, null, ORDER, order, 0);
    }
}
