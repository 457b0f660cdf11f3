package io.headwater.connect.lineage;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The latest schemas of a registry with Confluent's API, cached. If it does not answer, only schemas are missing. */
final class SchemaRegistry {
    private static final Logger LOG = LoggerFactory.getLogger(SchemaRegistry.class);

    /** A registry that does not answer is not asked for this time, so that lineage does not wait for it. */
    private static final long RETRY_NANOS = 10_000_000_000L;

    private final JsonClient json;
    private final String url;
    private final long refreshNanos;
    private final Map<String, Column> schemas = new HashMap<>();
    private final Map<String, Long> fetchedNanos = new HashMap<>();
    private long nextTryNanos = System.nanoTime();
    private boolean unreachable;

    SchemaRegistry(LineageConfig config) {
        url = config.registryUrl();
        refreshNanos = config.intervalMillis() / 2 * 1_000_000L;
        String credentials = config.registryUser() + ":" + config.registryPassword();
        String basic = "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8));
        json = new JsonClient(url, config.registryUser().isEmpty() ? "" : basic, config.timeoutMillis());
    }

    /** The schema of a topic's {@code key} or {@code value}; null if there is none or it cannot be parsed. */
    Column schema(String topic, String part) {
        String subject = topic + "-" + part;
        long now = System.nanoTime();
        if (now - nextTryNanos < 0 || now - fetchedNanos.getOrDefault(subject, now - refreshNanos) < refreshNanos) {
            return schemas.get(subject);
        }
        try {
            JsonNode version = json.get("/subjects/" + JsonClient.encode(subject) + "/versions/latest");
            if (version == null || !version.path("references").isEmpty()) {
                schemas.remove(subject); // references are not followed: the records have the whole schema
            } else {
                schemas.put(subject, parse(version));
            }
            fetchedNanos.put(subject, now);
            if (unreachable) {
                LOG.warn("The schema registry {} answers again", url);
            }
            unreachable = false;
        } catch (IOException e) {
            if (!unreachable) {
                LOG.warn("The schema registry {} does not answer; using cached schemas and those of records: {}", url,
                        e.toString());
            }
            unreachable = true;
            nextTryNanos = System.nanoTime() + RETRY_NANOS;
        }
        return schemas.get(subject);
    }

    private static Column parse(JsonNode version) throws IOException {
        String schemaType = version.path("schemaType").asText("AVRO");
        String schema = version.path("schema").asText();
        return schemaType.equals("PROTOBUF") ? null : RegistrySchemaParser.parse(schemaType, JsonClient.parse(schema));
    }
}
