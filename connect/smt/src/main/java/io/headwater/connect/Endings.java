package io.headwater.connect;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a connector ended. A transform is closed without a reason: on stop, restart, change, deletion, failure and the
 * worker's end alike. The worker's metrics tell a failure from the rest, its REST API (if it may be asked) the rest.
 */
final class Endings {
    private static final Logger LOG = LoggerFactory.getLogger(Endings.class);

    /** A task closes its transforms just before its state changes; REST knows some time after that. */
    private static final long SETTLE = 2_000;

    private static final String NOBODY_SAID =
            "all its tasks in this worker were closed: stopped, restarted, changed, deleted or moved";

    private static final String BEGAN_ANEW = "it was restarted, or its configuration was changed";

    private final Map<String, Rest> workers = new HashMap<>();

    /** Null if it cannot be said yet. {@code last}: no other one began since, whose tasks the metrics would be of. */
    Outcome of(String name, Incarnation incarnation, boolean last, boolean workerEnds) {
        boolean settled = !last || Instant.now().isAfter(incarnation.ended().plusMillis(SETTLE));
        List<Integer> tasks = incarnation.picture().tasks();
        Map<Integer, String> states = WorkerMetrics.states(name);
        states.keySet().removeIf(task -> !tasks.contains(task) && !tasks.contains(-1));
        if (last && states.containsValue("failed")) {
            int task = states.entrySet().stream().filter(e -> e.getValue().equals("failed")).findFirst().orElseThrow().getKey();
            return failed(name, incarnation.config, task, settled || workerEnds);
        }
        if (!settled && (states.containsValue("running") || states.containsValue("paused"))) {
            return null;
        }
        if (workerEnds || !last) {
            return new Outcome(false, workerEnds ? "the worker was stopped" : BEGAN_ANEW, null);
        }
        String reason = reason(name, incarnation.config, settled);
        return reason == null ? null : new Outcome(false, reason, null);
    }

    private Outcome failed(String name, LineageConfig config, int task, boolean settled) {
        String why = "task " + task + " failed";
        if (!config.connect().isEmpty()) {
            try {
                JsonNode status = ask(name, config);
                for (JsonNode one : status == null ? List.<JsonNode>of() : status.path("tasks")) {
                    if (one.path("id").asInt() == task && one.path("state").asText().equals("FAILED")) {
                        return new Outcome(true, why, one.path("trace").asText(null));
                    }
                }
                if (!settled) {
                    return null;
                }
            } catch (IOException e) {
                LOG.warn("Why {} failed is not known: {}", name, e.toString());
            }
        }
        return new Outcome(true, why, null);
    }

    /** Null while REST may yet say more: tasks are closed before it knows of a deletion. */
    private String reason(String name, LineageConfig config, boolean settled) {
        if (!config.connect().isEmpty()) {
            try {
                JsonNode status = ask(name, config);
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
                LOG.warn("Why {} ended is not known: {}", name, e.toString());
            }
        }
        return NOBODY_SAID;
    }

    private JsonNode ask(String name, LineageConfig config) throws IOException {
        return workers.computeIfAbsent(config.connect(), url -> new Rest(url, "", config.timeoutMillis()))
                .get("/connectors/" + Rest.quoted(name) + "/status");
    }
}
