package io.headwater.connect.lineage;

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

/** Sends events to Headwater, and asks it for a job's latest run and for facets of a run. */
final class HeadwaterClient {
    private static final Logger LOG = LoggerFactory.getLogger(HeadwaterClient.class);
    private static final Set<String> END_STATES = Set.of("COMPLETED", "FAILED", "ABORTED");

    private final OpenLineageClient client;
    private final JsonClient json;

    /** The id need not be a UUID: other clients may send any. */
    record LatestRun(String id, boolean isRunning) {}

    /** The server answered, but did not accept an event. It may accept it later. */
    static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1L;

        RefusedException(int status, Throwable cause) {
            super("it answered an event with " + status, cause);
        }
    }

    HeadwaterClient(LineageConfig config) {
        HttpConfig http = new HttpConfig();
        http.setUrl(URI.create(config.url()));
        http.setTimeoutInMillis(config.timeoutMillis());
        if (!config.apiKey().isEmpty()) {
            ApiKeyTokenProvider key = new ApiKeyTokenProvider();
            key.setApiKey(config.apiKey());
            http.setAuth(key);
        }
        client = new OpenLineageClient(new HttpTransport(http));
        json = new JsonClient(config.url(), config.apiKey().isEmpty() ? "" : "Bearer " + config.apiKey(), config.timeoutMillis());
    }

    /** Null if the job has no run. */
    LatestRun latestRun(String namespace, String job) throws IOException {
        JsonNode response = json.get("/api/v1/namespaces/" + JsonClient.encode(namespace) + "/jobs/" + JsonClient.encode(job));
        JsonNode run = response == null ? null : response.get("latestRun");
        if (run == null || run.isNull()) {
            return null;
        }
        return new LatestRun(run.path("id").asText(), !END_STATES.contains(run.path("state").asText()));
    }

    /** The facets of a run, by name. */
    JsonNode runFacets(String runId) throws IOException {
        JsonNode response = json.get("/api/v1/jobs/runs/" + JsonClient.encode(runId) + "/facets?type=run");
        return response == null ? JsonClient.parse("{}") : response.path("facets");
    }

    /** An event that the server will never accept is logged and dropped. */
    void send(OpenLineage.RunEvent event) throws IOException {
        try {
            client.emit(event);
        } catch (HttpTransportResponseException e) {
            int status = e.getStatusCode();
            if (status != 400 && status != 413 && status != 422) {
                throw new RefusedException(status, e);
            }
            LOG.warn("Headwater rejected an event of {}; the event is dropped: {}", event.getJob().getName(), e.getMessage());
        } catch (OpenLineageClientException e) { // whatever happened to the connection
            throw new IOException(e.getCause() == null ? e : e.getCause());
        }
    }
}
