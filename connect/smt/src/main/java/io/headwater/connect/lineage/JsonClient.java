package io.headwater.connect.lineage;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Gets JSON from a REST API. */
final class JsonClient {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final HttpClient http;
    private final String baseUrl;
    private final String authorization;
    private final Duration timeout;

    /** {@code authorization} is the header's value, or "" for none. */
    JsonClient(String baseUrl, String authorization, int timeoutMillis) {
        this.baseUrl = baseUrl;
        this.authorization = authorization;
        this.timeout = Duration.ofMillis(timeoutMillis);
        this.http = HttpClient.newBuilder().connectTimeout(timeout).followRedirects(HttpClient.Redirect.NORMAL).build();
    }

    /** Null if the server answers 404. */
    JsonNode get(String path) throws IOException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(baseUrl + path)).timeout(timeout).header("Accept", "application/json");
        if (!authorization.isEmpty()) {
            request.header("Authorization", authorization);
        }
        HttpResponse<String> response;
        try {
            response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        if (response.statusCode() == 404) {
            return null;
        }
        if (response.statusCode() != 200) {
            throw new IOException(baseUrl + path + " answered " + response.statusCode());
        }
        return parse(response.body());
    }

    static JsonNode parse(String text) throws IOException {
        try {
            return MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IOException("not JSON: " + e.getOriginalMessage(), e);
        }
    }

    /** For a part of a path. */
    static String encode(String segment) {
        return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
