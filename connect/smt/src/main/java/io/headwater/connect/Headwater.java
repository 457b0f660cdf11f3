package io.headwater.connect;

import com.fasterxml.jackson.databind.JsonNode;
import io.openlineage.client.OpenLineage;
import io.openlineage.client.OpenLineageClient;
import io.openlineage.client.OpenLineageClientException;
import io.openlineage.client.transports.ApiKeyTokenProvider;
import io.openlineage.client.transports.HttpConfig;
import io.openlineage.client.transports.HttpTransport;
import io.openlineage.client.transports.HttpTransportResponseException;
import java.io.IOException;
import java.net.URI;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The server: takes events, and says which run of a job is the latest. */
final class Headwater {
    private static final Logger LOG = LoggerFactory.getLogger(Headwater.class);
    private static final Set<String> OVER = Set.of("COMPLETED", "FAILED", "ABORTED");

    private final OpenLineageClient client;
    private final Rest rest;

    /** A run of a job. Its id need not be a UUID, if another client told it. */
    record Latest(String id, boolean goesOn) {}

    /** The server is there, but does not take what it was sent. */
    static final class Refused extends IOException {
        private static final long serialVersionUID = 1L;

        Refused(int status, Throwable cause) {
            super("an event was answered with " + status, cause);
        }
    }

    Headwater(LineageConfig config) {
        HttpConfig http = new HttpConfig();
        http.setUrl(URI.create(config.url()));
        http.setTimeoutInMillis(config.timeoutMillis());
        if (!config.apiKey().isEmpty()) {
            ApiKeyTokenProvider key = new ApiKeyTokenProvider();
            key.setApiKey(config.apiKey());
            http.setAuth(key);
        }
        client = new OpenLineageClient(new HttpTransport(http));
        rest = new Rest(config.url(), config.apiKey().isEmpty() ? "" : "Bearer " + config.apiKey(), config.timeoutMillis());
    }

    /** Null if the job has no run. */
    Latest latest(String namespace, String name) throws IOException {
        JsonNode job = rest.get("/api/v1/namespaces/" + Rest.quoted(namespace) + "/jobs/" + Rest.quoted(name));
        JsonNode run = job == null ? null : job.get("latestRun");
        if (run == null || run.isNull()) {
            return null;
        }
        return new Latest(run.path("id").asText(), !OVER.contains(run.path("state").asText()));
    }

    /** The facets of a run, by name. */
    JsonNode facets(String run) throws IOException {
        JsonNode told = rest.get("/api/v1/jobs/runs/" + Rest.quoted(run) + "/facets?type=run");
        return told == null ? Rest.read("{}") : told.path("facets");
    }

    /** An event that the server will never take is dropped, and said. */
    void tell(OpenLineage.RunEvent event) throws IOException {
        try {
            client.emit(event);
        } catch (HttpTransportResponseException e) {
            int status = e.getStatusCode();
            if (status != 400 && status != 413 && status != 422) {
                throw new Refused(status, e);
            }
            LOG.warn("An event of {} was refused and is dropped: {}", event.getJob().getName(), e.getMessage());
        } catch (OpenLineageClientException e) { // whatever happened to the connection
            throw new IOException(e.getCause() == null ? e : e.getCause());
        }
    }
}
