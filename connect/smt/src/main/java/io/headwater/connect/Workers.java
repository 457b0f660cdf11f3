package io.headwater.connect;

import com.fasterxml.jackson.databind.JsonNode;
import io.headwater.connect.Incarnation.Picture;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Which workers have tasks of a run. Each has a facet of its own in the run, and reads those of the others: so the last
 * one ends it, without any of them knowing the others.
 */
final class Workers {
    static final String FACET = "headwater_connect_smt_";

    /** This process: a worker that was killed and started again is another one. */
    static final String ME = UUID.randomUUID().toString().substring(0, 8);

    /** A worker that missed so many of its reports is gone. */
    private static final int MISSED = 3;

    private Workers() {}

    static Map<String, Object> facet(LineageConfig config, Picture picture, Map<Integer, String> states) {
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("worker", host());
        told.put("open", !picture.open().isEmpty());
        told.put("tasks", picture.open());
        Map<String, String> named = new TreeMap<>();
        states.forEach((task, state) -> named.put(String.valueOf(task), state.toUpperCase(java.util.Locale.ROOT)));
        told.put("states", named);
        Map<String, Long> records = new TreeMap<>();
        picture.topics().forEach((topic, seen) -> records.put(topic, seen.records()));
        told.put("records", records);
        told.put("at", System.currentTimeMillis());
        told.put("intervalMs", config.intervalMillis());
        return told;
    }

    /** Whether another worker still has tasks of the run. Those with tasks that are ours now lost them. */
    static boolean othersGoOn(JsonNode facets, List<Integer> ours) {
        return others(facets).stream().anyMatch(other -> goesOn(other, ours));
    }

    /** Whether workers told of the run, and none of them has it any more. */
    static boolean areGone(JsonNode facets, List<Integer> ours) {
        List<JsonNode> others = others(facets);
        return !others.isEmpty() && !facets.has(FACET + ME) && others.stream().noneMatch(other -> goesOn(other, ours));
    }

    private static boolean goesOn(JsonNode other, List<Integer> ours) {
        long age = System.currentTimeMillis() - other.path("at").asLong();
        if (!other.path("open").asBoolean() || age > MISSED * other.path("intervalMs").asLong()) {
            return false;
        }
        List<Integer> tasks = new ArrayList<>();
        other.path("tasks").forEach(task -> tasks.add(task.asInt()));
        return tasks.contains(-1) || !ours.containsAll(tasks);
    }

    private static List<JsonNode> others(JsonNode facets) {
        List<JsonNode> found = new ArrayList<>();
        facets.fields().forEachRemaining(facet -> {
            if (facet.getKey().startsWith(FACET) && !facet.getKey().equals(FACET + ME)) {
                found.add(facet.getValue());
            }
        });
        return found;
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "";
        }
    }
}
