package io.headwater.connect;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Columns from the Avro and JSON schemas of a registry. */
final class RegistryText {
    private final JsonNode root;
    private final Map<String, JsonNode> named = new HashMap<>();

    private RegistryText(JsonNode root) {
        this.root = root;
    }

    /** Null if the kind is another one (Protobuf) or the text is not understood. */
    static Column read(String kind, JsonNode schema) {
        RegistryText text = new RegistryText(schema);
        if (kind.equals("AVRO")) {
            text.learn(schema, "");
            return text.avro("", schema, "", Column.DEPTH);
        }
        return kind.equals("JSON") ? text.json("", schema, Column.DEPTH) : null;
    }

    /** Named types of Avro, by their full and their short names. */
    private void learn(JsonNode schema, String space) {
        if (schema.isArray()) {
            schema.forEach(part -> learn(part, space));
        } else if (schema.isObject()) {
            String inner = schema.path("namespace").asText(space);
            if (schema.has("name") && schema.path("type").isTextual()) {
                String name = schema.get("name").asText();
                String full = name.contains(".") || inner.isEmpty() ? name : inner + "." + name;
                named.put(full, schema);
                named.putIfAbsent(full.substring(full.lastIndexOf('.') + 1), schema);
            }
            schema.path("fields").forEach(field -> learn(field.path("type"), inner));
            for (String part : List.of("items", "values", "type")) {
                if (schema.path(part).isContainerNode()) {
                    learn(schema.get(part), inner);
                }
            }
        }
    }

    private Column avro(String name, JsonNode schema, String space, int depth) {
        if (schema.isArray()) {
            List<JsonNode> kinds = new ArrayList<>();
            schema.forEach(kind -> {
                if (!kind.asText().equals("null")) {
                    kinds.add(kind);
                }
            });
            if (kinds.size() == 1) {
                return avro(name, kinds.get(0), space, depth);
            }
            return new Column(name, kinds.isEmpty() ? "null" : "union");
        }
        if (schema.isTextual()) {
            JsonNode type = named.getOrDefault(schema.asText(), named.get(space + "." + schema.asText()));
            return type == null || depth == 0 ? new Column(name, schema.asText()) : avro(name, type, space, depth - 1);
        }
        JsonNode type = schema.path("type");
        if (type.isContainerNode()) {
            return avro(name, type, space, depth);
        }
        String logical = schema.path("logicalType").asText("");
        switch (type.asText()) {
            case "record", "error" -> {
                if (depth == 0) {
                    return new Column(name, schema.path("name").asText());
                }
                String inner = schema.path("namespace").asText(space);
                List<Column> fields = new ArrayList<>();
                schema.path("fields").forEach(
                        field -> fields.add(avro(field.path("name").asText(), field.path("type"), inner, depth - 1)));
                return new Column(name, "struct", fields);
            }
            case "array" -> {
                return new Column(name, "array",
                        depth == 0 ? List.of() : List.of(avro("_element", schema.path("items"), space, depth - 1)));
            }
            case "map" -> {
                return new Column(name, "map", depth == 0
                        ? List.of()
                        : List.of(new Column("key", "string"), avro("value", schema.path("values"), space, depth - 1)));
            }
            default -> {
                if (logical.equals("decimal")) {
                    return new Column(name, "decimal(" + schema.path("precision").asText() + ","
                            + schema.path("scale").asText("0") + ")");
                }
                if (!logical.isEmpty()) {
                    return new Column(name, logical);
                }
                return switch (type.asText()) {
                    case "enum" -> new Column(name, "string");
                    case "fixed" -> new Column(name, "bytes");
                    default -> avro(name, type, space, depth);
                };
            }
        }
    }

    private Column json(String name, JsonNode told, int depth) {
        JsonNode schema = resolved(told);
        if (!schema.isObject() || depth == 0) {
            return new Column(name, "any");
        }
        if (schema.has("properties")) {
            List<Column> fields = new ArrayList<>();
            schema.get("properties").fields().forEachRemaining(
                    field -> fields.add(json(field.getKey(), field.getValue(), depth - 1)));
            return new Column(name, "struct", fields);
        }
        for (String way : List.of("oneOf", "anyOf", "allOf")) {
            if (schema.has(way)) {
                List<JsonNode> kinds = new ArrayList<>();
                schema.get(way).forEach(kind -> {
                    if (!resolved(kind).path("type").asText().equals("null")) {
                        kinds.add(kind);
                    }
                });
                return kinds.size() == 1 ? json(name, kinds.get(0), depth - 1) : several(name, way, kinds, depth);
            }
        }
        String kind = schema.path("type").isArray() ? "union" : schema.path("type").asText("any");
        if (schema.path("type").isArray()) {
            List<String> kinds = new ArrayList<>();
            schema.get("type").forEach(one -> {
                if (!one.asText().equals("null")) {
                    kinds.add(one.asText());
                }
            });
            kind = kinds.size() == 1 ? kinds.get(0) : "union";
        }
        return switch (kind) {
            case "array" -> new Column(name, "array", List.of(json("_element", schema.path("items"), depth - 1)));
            case "object" -> new Column(name, "map");
            default -> new Column(name, schema.path("connect.type").asText(schema.path("format").asText(kind)));
        };
    }

    private Column several(String name, String way, List<JsonNode> kinds, int depth) {
        List<Column> fields = new ArrayList<>();
        for (JsonNode kind : kinds) {
            Column part = json(name, kind, depth - 1);
            if (!way.equals("allOf") || !part.type().equals("struct")) {
                return new Column(name, "union");
            }
            fields.addAll(part.fields());
        }
        return new Column(name, "struct", fields);
    }

    /** {@code $ref} into the same document; others stay unknown. */
    private JsonNode resolved(JsonNode schema) {
        JsonNode found = schema;
        for (int steps = 0; steps < Column.DEPTH && found.path("$ref").asText().startsWith("#/"); steps++) {
            found = root.at(found.get("$ref").asText().substring(1));
        }
        return found;
    }
}
