package io.headwater.connect.lineage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WorkerFacetsTest {
    private final ObjectNode facets = JsonNodeFactory.instance.objectNode();

    private void addFacet(String worker, boolean open, long secondsAgo, int... tasks) {
        ObjectNode facet = facets.putObject(WorkerFacets.PREFIX + worker);
        facet.put("open", open).put("at", System.currentTimeMillis() - secondsAgo * 1000).put("intervalMs", 30_000);
        for (int task : tasks) {
            facet.withArray("tasks").add(task);
        }
    }

    @Test
    void a_run_of_one_worker_has_no_other() {
        facets.putObject("headwater_connect");
        assertFalse(WorkerFacets.anotherWorkerRuns(facets, List.of(0)));
        assertFalse(WorkerFacets.workersAreGone(facets, List.of(0)), "only the watcher reported the run: it is still running");
        addFacet(WorkerFacets.WORKER_ID, true, 0, 0);
        assertFalse(WorkerFacets.anotherWorkerRuns(facets, List.of(0)));
        assertFalse(WorkerFacets.workersAreGone(facets, List.of(0)), "it is ours");
    }

    @Test
    void another_worker_with_other_tasks_is_running() {
        addFacet("b", true, 10, 1);
        assertTrue(WorkerFacets.anotherWorkerRuns(facets, List.of(0)));
        assertFalse(WorkerFacets.workersAreGone(facets, List.of(0)));
    }

    @Test
    void a_worker_whose_tasks_are_ours_now_is_gone() {
        addFacet("b", true, 10, 1);
        assertFalse(WorkerFacets.anotherWorkerRuns(facets, List.of(0, 1)));
        assertTrue(WorkerFacets.workersAreGone(facets, List.of(0, 1)));
    }

    @Test
    void a_worker_without_open_tasks_or_without_reports_is_gone() {
        addFacet("b", false, 1);
        addFacet("c", true, 91, 2);
        assertFalse(WorkerFacets.anotherWorkerRuns(facets, List.of(0)));
        assertTrue(WorkerFacets.workersAreGone(facets, List.of(0)));
    }

    @Test
    void a_task_without_a_number_may_be_any() {
        addFacet("b", true, 10, -1);
        assertTrue(WorkerFacets.anotherWorkerRuns(facets, List.of(-1)));
    }

    @Test
    void the_facet_has_open_tasks_states_and_records() {
        ConnectorRun run = new ConnectorRun(new LineageConfig(Fixtures.options()), Instant.now());
        TaskCounter task = new TaskCounter(3, () -> {});
        run.add(task);
        task.count(Fixtures.sinkRecord("orders", null));
        Map<String, Object> facet = WorkerFacets.facet(run.config, run.snapshot(), Map.of(3, "running"));
        assertEquals(List.of(3), facet.get("tasks"));
        assertEquals(Map.of("3", "RUNNING"), facet.get("states"));
        assertEquals(Map.of("orders", 1L), facet.get("records"));
        run.remove(task, Instant.now());
        assertEquals(false, WorkerFacets.facet(run.config, run.snapshot(), Map.of()).get("open"));
    }
}
