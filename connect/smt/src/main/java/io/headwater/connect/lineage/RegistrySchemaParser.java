package io.headwater.connect.lineage;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Parses the Avro and JSON schemas of a registry into columns. */
final class RegistrySchemaParser {
    private final JsonNode root;
    private final Map<String, JsonNode> namedTypes = new HashMap<>();

    private RegistrySchemaParser(JsonNode root) {
        this.root = root;
    }

    /** Null for other schema types (Protobuf). */
    static Column parse(String schemaType, JsonNode schema) {
        RegistrySchemaParser parser = new RegistrySchemaParser(schema);
        if (schemaType.equals("AVRO")) {
            parser.addNamedTypes(schema, "");
            return parser.avro("", schema, "", Column.MAX_DEPTH);
        }
        return schemaType.equals("JSON") ? parser.json("", schema, Column.MAX_DEPTH) : null;
    }

    /** Avro's named types, by their full and their short names. */
    private void addNamedTypes(JsonNode schema, String namespace) {
        if (schema.isArray()) {
            schema.forEach(part -> addNamedTypes(part, namespace));
        } else if (schema.isObject()) {
            String inner = schema.path("namespace").asText(namespace);
            if (schema.has("name") && schema.path("type").isTextual()) {
                String name = schema.get("name").asText();
                String full = name.contains(".") || inner.isEmpty() ? name : inner + "." + name;
                namedTypes.put(full, schema);
                namedTypes.putIfAbsent(full.substring(full.lastIndexOf('.') + 1), schema);
            }
            schema.path("fields").forEach(field -> addNamedTypes(field.path("type"), inner));
            for (String part : List.of("items", "values", "type")) {
                if (schema.path(part).isContainerNode()) {
                    addNamedTypes(schema.get(part), inner);
                }
            }
        }
    }

    private Column avro(String name, JsonNode schema, String namespace, int depth) {
        if (schema.isArray()) {
            List<JsonNode> branches = new ArrayList<>();
            schema.forEach(branch -> {
                if (!branch.asText().equals("null")) {
                    branches.add(branch);
                }
            });
            if (branches.size() == 1) {
                return avro(name, branches.get(0), namespace, depth);
            }
            return new Column(name, branches.isEmpty() ? "null" : "union");
        }
        if (schema.isTextual()) {
            JsonNode type = namedTypes.getOrDefault(schema.asText(), namedTypes.get(namespace + "." + schema.asText()));
            return type == null || depth == 0 ? new Column(name, schema.asText()) : avro(name, type, namespace, depth - 1);
        }
        JsonNode type = schema.path("type");
        if (type.isContainerNode()) {
            return avro(name, type, namespace, depth);
        }
        String logicalType = schema.path("logicalType").asText("");
        switch (type.asText()) {
            case "record", "error" -> {
                if (depth == 0) {
                    return new Column(name, schema.path("name").asText());
                }
                String inner = schema.path("namespace").asText(namespace);
                List<Column> fields = new ArrayList<>();
                schema.path("fields").forEach(
                        field -> fields.add(avro(field.path("name").asText(), field.path("type"), inner, depth - 1)));
                return new Column(name, "struct", fields);
            }
            case "array" -> {
                return new Column(name, "array",
                        depth == 0 ? List.of() : List.of(avro("_element", schema.path("items"), namespace, depth - 1)));
            }
            case "map" -> {
                return new Column(name, "map", depth == 0
                        ? List.of()
                        : List.of(new Column("key", "string"), avro("value", schema.path("values"), namespace, depth - 1)));
            }
            default -> {
                if (logicalType.equals("decimal")) {
                    return new Column(name, "decimal(" + schema.path("precision").asText() + ","
                            + schema.path("scale").asText("0") + ")");
                }
                if (!logicalType.isEmpty()) {
                    return new Column(name, logicalType);
                }
                return switch (type.asText()) {
                    case "enum" -> new Column(name, "string");
                    case "fixed" -> new Column(name, "bytes");
                    default -> avro(name, type, namespace, depth);
                };
            }
        }
    }

    private Column json(String name, JsonNode unresolved, int depth) {
        JsonNode schema = resolve(unresolved);
        if (!schema.isObject() || depth == 0) {
            return new Column(name, "any");
        }
        if (schema.has("properties")) {
            List<Column> fields = new ArrayList<>();
            schema.get("properties").fields().forEachRemaining(
                    field -> fields.add(json(field.getKey(), field.getValue(), depth - 1)));
            return new Column(name, "struct", fields);
        }
        for (String keyword : List.of("oneOf", "anyOf", "allOf")) {
            if (schema.has(keyword)) {
                List<JsonNode> branches = new ArrayList<>();
                schema.get(keyword).forEach(branch -> {
                    if (!resolve(branch).path("type").asText().equals("null")) {
                        branches.add(branch);
                    }
                });
                return branches.size() == 1 ? json(name, branches.get(0), depth - 1) : combine(name, keyword, branches, depth);
            }
        }
        String type = jsonType(schema.path("type"));
        return switch (type) {
            case "array" -> new Column(name, "array", List.of(json("_element", schema.path("items"), depth - 1)));
            case "object" -> new Column(name, "map");
            default -> new Column(name, schema.path("connect.type").asText(schema.path("format").asText(type)));
        };
    }

    private static String jsonType(JsonNode type) {
        if (!type.isArray()) {
            return type.asText("any");
        }
        List<String> types = new ArrayList<>();
        type.forEach(one -> {
            if (!one.asText().equals("null")) {
                types.add(one.asText());
            }
        });
        return types.size() == 1 ? types.get(0) : "union";
    }

    private Column combine(String name, String keyword, List<JsonNode> branches, int depth) {
        List<Column> fields = new ArrayList<>();
        for (JsonNode branch : branches) {
            Column part = json(name, branch, depth - 1);
            if (!keyword.equals("allOf") || !part.type().equals("struct")) {
                return new Column(name, "union");
            }
            fields.addAll(part.fields());
        }
        return new Column(name, "struct", fields);
    }

    /** Follows {@code $ref} into the same document; the target of any other stays unknown. */
    private JsonNode resolve(JsonNode schema) {
        JsonNode target = schema;
        for (int steps = 0; steps < Column.MAX_DEPTH && target.path("$ref").asText().startsWith("#/"); steps++) {
            target = root.at(target.get("$ref").asText().substring(1));
        }
        return target;
    }
}
