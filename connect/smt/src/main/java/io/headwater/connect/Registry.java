package io.headwater.connect;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Latest schemas of a registry with Confluent's API. One that does not answer only leaves schemas out. */
final class Registry {
    private static final Logger LOG = LoggerFactory.getLogger(Registry.class);

    /** One that does not answer is left alone for so long, so that lineage does not wait for it. */
    private static final long PAUSE = 10_000_000_000L;

    private final Rest rest;
    private final String url;
    private final long every;
    private final Map<String, Column> known = new HashMap<>();
    private final Map<String, Long> asked = new HashMap<>();
    private long nextTry = System.nanoTime();
    private boolean away;

    Registry(LineageConfig config) {
        url = config.registry();
        every = config.intervalMillis() / 2 * 1_000_000L;
        String user = config.registryUser() + ":" + config.registryPassword();
        String basic = "Basic " + Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8));
        rest = new Rest(url, config.registryUser().isEmpty() ? "" : basic, config.timeoutMillis());
    }

    /** The schema of a topic's {@code key} or {@code value}; null if there is none, or it is not understood. */
    Column schema(String topic, String part) {
        String subject = topic + "-" + part;
        long now = System.nanoTime();
        if (now - nextTry < 0 || now - asked.getOrDefault(subject, now - every) < every) {
            return known.get(subject);
        }
        try {
            JsonNode told = rest.get("/subjects/" + Rest.quoted(subject) + "/versions/latest");
            if (told == null || !told.path("references").isEmpty()) {
                known.remove(subject); // what other schemas it needs, the records know
            } else {
                known.put(subject, read(told));
            }
            asked.put(subject, now);
            if (away) {
                LOG.warn("The registry {} answers again", url);
            }
            away = false;
        } catch (IOException e) {
            if (!away) {
                LOG.warn("The registry {} gives no schemas; those of records and those known stay: {}", url, e.toString());
            }
            away = true;
            nextTry = System.nanoTime() + PAUSE;
        }
        return known.get(subject);
    }

    private static Column read(JsonNode told) throws IOException {
        String kind = told.path("schemaType").asText("AVRO");
        String text = told.path("schema").asText();
        return kind.equals("PROTOBUF") ? null : RegistryText.read(kind, Rest.read(text));
    }
}
