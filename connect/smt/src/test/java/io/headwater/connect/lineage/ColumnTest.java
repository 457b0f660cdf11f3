package io.headwater.connect.lineage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.kafka.connect.data.Date;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Timestamp;
import org.junit.jupiter.api.Test;

class ColumnTest {
    /** {@code name type(fields)}, short enough to read. */
    private static String text(List<Column> columns) {
        return columns.stream()
                .map(c -> c.name() + " " + c.type() + (c.fields().isEmpty() ? "" : "(" + text(c.fields()) + ")"))
                .collect(Collectors.joining(", "));
    }

    private static String avro(String schema) throws IOException {
        return text(Column.ofTopic(null, RegistrySchemaParser.parse("AVRO", JsonClient.parse(schema))));
    }

    private static String json(String schema) throws IOException {
        return text(Column.ofTopic(null, RegistrySchemaParser.parse("JSON", JsonClient.parse(schema))));
    }

    @Test
    void columns_of_connect_schemas() {
        Schema inside = SchemaBuilder.struct().field("city", Schema.OPTIONAL_STRING_SCHEMA).optional().build();
        Schema schema = SchemaBuilder.struct()
                .field("small", Schema.INT16_SCHEMA).field("big", Schema.INT64_SCHEMA).field("ratio", Schema.FLOAT32_SCHEMA)
                .field("price", Decimal.schema(2))
                .field("cost", Decimal.builder(2).parameter("connect.decimal.precision", "10").build())
                .field("day", Date.SCHEMA).field("at", Timestamp.SCHEMA).field("home", inside)
                .field("tags", SchemaBuilder.array(Schema.STRING_SCHEMA).build())
                .field("more", SchemaBuilder.map(Schema.STRING_SCHEMA, Schema.BOOLEAN_SCHEMA).build())
                .field("micros", SchemaBuilder.int64().name("io.debezium.time.MicroTimestamp").build())
                .build();
        Column key = Column.of("", SchemaBuilder.struct().field("id", Schema.INT32_SCHEMA).build());
        assertEquals("small int, big long, ratio float, price decimal(64,2), cost decimal(10,2), day date, at timestamp-millis,"
                + " home struct(city string), tags array(_element string), more map(key string, value boolean),"
                + " micros long, key struct(id int)", text(Column.ofTopic(key, Column.of("", schema))));
    }

    @Test
    void columns_of_plain_values() {
        assertEquals("value string", text(Column.ofTopic(null, Column.of("", Schema.STRING_SCHEMA))));
        assertEquals("", text(Column.ofTopic(Column.of("", Schema.STRING_SCHEMA), Column.of("", null))));
    }

    @Test
    void columns_of_a_schema_that_contains_itself() throws IOException {
        String avro = "{'type':'record','name':'N','fields':[{'name':'next','type':['null','N']}]}";
        assertTrue(avro(avro.replace('\'', '"')).startsWith("next struct(next struct("));
        String json = "{'$defs':{'n':{'type':'object','properties':{'n':{'$ref':'#/$defs/n'}}}},'$ref':'#/$defs/n'}";
        assertTrue(json(json.replace('\'', '"')).startsWith("n struct(n struct("));
    }

    @Test
    void columns_of_avro() throws IOException {
        String schema = """
                {"type": "record", "name": "O", "namespace": "x", "fields": [
                  {"name": "id", "type": "long"},
                  {"name": "note", "type": ["null", "string"]},
                  {"name": "any", "type": ["string", "int"]},
                  {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}},
                  {"name": "at", "type": {"type": "long", "logicalType": "timestamp-micros"}},
                  {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["A"]}},
                  {"name": "again", "type": "Kind"},
                  {"name": "home", "type": {"type": "record", "name": "Home", "fields": [{"name": "city", "type": "string"}]}},
                  {"name": "other", "type": "x.Home"},
                  {"name": "tags", "type": {"type": "array", "items": "string"}},
                  {"name": "more", "type": {"type": "map", "values": "double"}}]}""";
        assertEquals("id long, note string, any union, price decimal(10,2), at timestamp-micros, kind string, again string,"
                + " home struct(city string), other struct(city string), tags array(_element string),"
                + " more map(key string, value double)", avro(schema));
        assertEquals("value string", avro("\"string\""));
    }

    @Test
    void columns_of_json_schema() throws IOException {
        String schema = """
                {"type": "object", "$defs": {"home": {"type": "object", "properties": {"city": {"type": "string"}}}},
                 "properties": {"id": {"type": "integer", "connect.type": "int64"}, "at": {"type": "string", "format": "date-time"},
                   "note": {"oneOf": [{"type": "null"}, {"type": "string"}]}, "opt": {"type": ["null", "number"]},
                   "home": {"$ref": "#/$defs/home"}, "tags": {"type": "array", "items": {"type": "string"}},
                   "any": {"oneOf": [{"type": "string"}, {"type": "number"}]}, "more": {"type": "object"},
                   "all": {"allOf": [{"$ref": "#/$defs/home"}, {"properties": {"zip": {"type": "string"}}}]}}}""";
        assertEquals("id int64, at date-time, note string, opt number, home struct(city string), tags array(_element string),"
                + " any union, more map, all struct(city string, zip string)", json(schema));
    }

    @Test
    void protobuf_schemas_of_a_registry_are_not_parsed() throws IOException {
        assertNull(RegistrySchemaParser.parse("PROTOBUF", JsonClient.parse("{}")));
    }
}
