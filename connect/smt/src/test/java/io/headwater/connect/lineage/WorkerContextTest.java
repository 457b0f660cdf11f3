package io.headwater.connect.lineage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class WorkerContextTest {
    @Test
    void parses_the_workers_log_context() {
        assertEquals(new WorkerContext("orders-sink", 12), WorkerContext.parse("[orders-sink|task-12] "));
        assertEquals(new WorkerContext("a|b", 0), WorkerContext.parse("[a|b|task-0|offsets] "));
        assertEquals(new WorkerContext("", -1), WorkerContext.parse("[orders-sink|worker] "));
        assertEquals(new WorkerContext("", -1), WorkerContext.parse(null));
    }
}
