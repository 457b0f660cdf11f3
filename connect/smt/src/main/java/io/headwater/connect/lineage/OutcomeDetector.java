package io.headwater.connect.lineage;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out how a run ended. Connect closes a transform without a reason: on stop, restart, change, deletion, failure and
 * shutdown alike. The worker's metrics show a failure; its REST API, if {@code connect.url} is set, shows the rest.
 */
final class OutcomeDetector {
    private static final Logger LOG = LoggerFactory.getLogger(OutcomeDetector.class);

    /** A task closes its transforms just before its state changes; the REST API follows later. */
    private static final long SETTLE_MILLIS = 2_000;

    private static final String UNKNOWN =
            "all its tasks in this worker were closed: stopped, restarted, changed, deleted or moved";

    private static final String RESTARTED = "the connector was restarted or its configuration was changed";
    private static final String WORKER_STOPPED = "the worker was stopped";

    private final Map<String, JsonClient> workers = new HashMap<>();

    /**
     * Null if it is not known yet. {@code newest}: no other run of the connector followed; the metrics would be about that
     * one's tasks.
     */
    RunOutcome detect(String connector, ConnectorRun run, boolean newest, boolean workerStops) {
        boolean settled = !newest || Instant.now().isAfter(run.endTime().plusMillis(SETTLE_MILLIS));
        List<Integer> tasks = run.snapshot().tasks();
        Map<Integer, String> states = WorkerMetrics.taskStates(connector);
        states.keySet().removeIf(task -> !tasks.contains(task) && !tasks.contains(-1));
        if (newest && states.containsValue("failed")) {
            int task = states.entrySet().stream().filter(e -> e.getValue().equals("failed")).findFirst().orElseThrow().getKey();
            return failure(connector, run.config, task, settled || workerStops);
        }
        if (!settled && (states.containsValue("running") || states.containsValue("paused"))) {
            return null;
        }
        if (workerStops || !newest) {
            return RunOutcome.aborted(workerStops ? WORKER_STOPPED : RESTARTED);
        }
        String reason = abortReason(connector, run.config, settled);
        return reason == null ? null : RunOutcome.aborted(reason);
    }

    /** Null while the REST API may still provide the trace. */
    private RunOutcome failure(String connector, LineageConfig config, int number, boolean settled) {
        String reason = "task " + number + " failed";
        if (!config.connectUrl().isEmpty()) {
            try {
                JsonNode status = status(connector, config);
                for (JsonNode task : status == null ? List.<JsonNode>of() : status.path("tasks")) {
                    if (task.path("id").asInt() == number && task.path("state").asText().equals("FAILED")) {
                        return RunOutcome.failed(reason, task.path("trace").asText(null));
                    }
                }
                if (!settled) {
                    return null;
                }
            } catch (IOException e) {
                LOG.warn("Cannot find out why {} failed: {}", connector, e.toString());
            }
        }
        return RunOutcome.failed(reason, null);
    }

    /** Null while the REST API may still change: tasks are closed before it shows a deletion. */
    private String abortReason(String connector, LineageConfig config, boolean settled) {
        if (!config.connectUrl().isEmpty()) {
            try {
                JsonNode status = status(connector, config);
                if (status == null) {
                    return "the connector was deleted";
                }
                if (status.path("connector").path("state").asText().equals("STOPPED")) {
                    return "the connector was stopped";
                }
                if (!settled) {
                    return null;
                }
            } catch (IOException e) {
                LOG.warn("Cannot find out why {} ended: {}", connector, e.toString());
            }
        }
        return UNKNOWN;
    }

    private JsonNode status(String connector, LineageConfig config) throws IOException {
        return workers.computeIfAbsent(config.connectUrl(), url -> new JsonClient(url, "", config.timeoutMillis()))
                .get("/connectors/" + JsonClient.encode(connector) + "/status");
    }
}
