package io.headwater.connect.lineage;

import com.fasterxml.jackson.databind.JsonNode;
import io.headwater.connect.lineage.ConnectorRun.Snapshot;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Which workers have tasks of a run. Each worker writes a facet of its own into the run and reads those of the others. So
 * the last worker ends the run, though no worker knows the others.
 */
final class WorkerFacets {
    static final String PREFIX = "headwater_connect_smt_";

    /** Identifies this process: a worker that was killed and started again is another one. */
    static final String WORKER_ID = UUID.randomUUID().toString().substring(0, 8);

    /** A worker that missed this many reports is gone. */
    private static final int MAX_MISSED_REPORTS = 3;

    private WorkerFacets() {}

    /** This worker's facet. */
    static Map<String, Object> facet(LineageConfig config, Snapshot snapshot, Map<Integer, String> taskStates) {
        Map<String, Object> facet = new LinkedHashMap<>();
        facet.put("worker", hostName());
        facet.put("open", !snapshot.openTasks().isEmpty());
        facet.put("tasks", snapshot.openTasks());
        Map<String, String> states = new TreeMap<>();
        taskStates.forEach((task, state) -> states.put(String.valueOf(task), state.toUpperCase(Locale.ROOT)));
        facet.put("states", states);
        Map<String, Long> records = new TreeMap<>();
        snapshot.topics().forEach((topic, totals) -> records.put(topic, totals.records()));
        facet.put("records", records);
        facet.put("at", System.currentTimeMillis());
        facet.put("intervalMs", config.intervalMillis());
        return facet;
    }

    /** Whether another worker still has tasks of the run. A worker whose tasks are all ours now has lost them. */
    static boolean anotherWorkerRuns(JsonNode runFacets, List<Integer> ourTasks) {
        return otherFacets(runFacets).stream().anyMatch(facet -> isRunning(facet, ourTasks));
    }

    /** Whether other workers reported the run, and none of them has tasks of it any more. */
    static boolean workersAreGone(JsonNode runFacets, List<Integer> ourTasks) {
        List<JsonNode> facets = otherFacets(runFacets);
        return !facets.isEmpty() && !runFacets.has(PREFIX + WORKER_ID)
                && facets.stream().noneMatch(facet -> isRunning(facet, ourTasks));
    }

    private static boolean isRunning(JsonNode facet, List<Integer> ourTasks) {
        long ageMillis = System.currentTimeMillis() - facet.path("at").asLong();
        if (!facet.path("open").asBoolean() || ageMillis > MAX_MISSED_REPORTS * facet.path("intervalMs").asLong()) {
            return false;
        }
        List<Integer> tasks = new ArrayList<>();
        facet.path("tasks").forEach(task -> tasks.add(task.asInt()));
        return tasks.contains(-1) || !ourTasks.containsAll(tasks);
    }

    private static List<JsonNode> otherFacets(JsonNode runFacets) {
        List<JsonNode> facets = new ArrayList<>();
        runFacets.fields().forEachRemaining(facet -> {
            if (facet.getKey().startsWith(PREFIX) && !facet.getKey().equals(PREFIX + WORKER_ID)) {
                facets.add(facet.getValue());
            }
        });
        return facets;
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "";
        }
    }
}
