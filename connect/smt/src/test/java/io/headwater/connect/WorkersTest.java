package io.headwater.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WorkersTest {
    private final ObjectNode facets = JsonNodeFactory.instance.objectNode();

    private void told(String worker, boolean open, long secondsAgo, int... tasks) {
        ObjectNode facet = facets.putObject(Workers.FACET + worker);
        facet.put("open", open).put("at", System.currentTimeMillis() - secondsAgo * 1000).put("intervalMs", 30_000);
        for (int task : tasks) {
            facet.withArray("tasks").add(task);
        }
    }

    @Test
    void of_one_worker_nobody_else_goes_on() {
        facets.putObject("headwater_connect");
        assertFalse(Workers.othersGoOn(facets, List.of(0)));
        assertFalse(Workers.areGone(facets, List.of(0)), "a run that only the watcher told goes on");
        told(Workers.ME, true, 0, 0);
        assertFalse(Workers.othersGoOn(facets, List.of(0)));
        assertFalse(Workers.areGone(facets, List.of(0)), "it is ours");
    }

    @Test
    void another_worker_with_other_tasks_goes_on() {
        told("b", true, 10, 1);
        assertTrue(Workers.othersGoOn(facets, List.of(0)));
        assertFalse(Workers.areGone(facets, List.of(0)));
    }

    @Test
    void one_whose_tasks_are_ours_now_is_gone() {
        told("b", true, 10, 1);
        assertFalse(Workers.othersGoOn(facets, List.of(0, 1)));
        assertTrue(Workers.areGone(facets, List.of(0, 1)));
    }

    @Test
    void so_is_one_that_closed_or_said_nothing_for_long() {
        told("b", false, 1);
        told("c", true, 91, 2);
        assertFalse(Workers.othersGoOn(facets, List.of(0)));
        assertTrue(Workers.areGone(facets, List.of(0)));
    }

    @Test
    void tasks_without_numbers_may_be_any() {
        told("b", true, 10, -1);
        assertTrue(Workers.othersGoOn(facets, List.of(-1)));
    }

    @Test
    void the_facet_says_it_all() {
        Incarnation incarnation = new Incarnation(new LineageConfig(Samples.options()), Instant.now());
        TaskFlows task = new TaskFlows(3, () -> {});
        incarnation.add(task);
        task.saw(Samples.sink("orders", null));
        Map<String, Object> told = Workers.facet(incarnation.config, incarnation.picture(), Map.of(3, "running"));
        assertEquals(List.of(3), told.get("tasks"));
        assertEquals(Map.of("3", "RUNNING"), told.get("states"));
        assertEquals(Map.of("orders", 1L), told.get("records"));
        incarnation.remove(task, Instant.now());
        assertEquals(false, Workers.facet(incarnation.config, incarnation.picture(), Map.of()).get("open"));
    }
}
