package io.headwater.connect.lineage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Nothing is delivered, as when Headwater is unreachable. */
class RunQueueTest {
    private final LineageConfig config = new LineageConfig(Fixtures.options());
    private final RunQueue queue = new RunQueue("orders", () -> {});

    private List<ConnectorRun> runs() {
        List<ConnectorRun> runs = new ArrayList<>();
        queue.runs().forEach(runs::add);
        return runs;
    }

    @Test
    void overlapping_tasks_are_one_run_and_their_counts_add_up() {
        ConnectorTask first = queue.startTask(config, 0);
        ConnectorTask second = queue.startTask(config, 1);
        first.counter().count(Fixtures.sinkRecord("orders", null));
        second.counter().count(Fixtures.sinkRecord("orders", null));
        first.close();
        ConnectorTask restarted = queue.startTask(config, 0);
        restarted.counter().count(Fixtures.sinkRecord("orders", null));
        assertSame(first.run(), restarted.run());
        assertNull(first.run().endTime());
        assertEquals(3, first.run().snapshot().topics().get("orders").records());
        restarted.close();
        second.close();
        second.close();
        assertNotNull(first.run().endTime());
        assertEquals(3, first.run().snapshot().topics().get("orders").records());
    }

    @Test
    void another_configuration_is_another_run_even_if_a_task_did_not_close() {
        ConnectorTask old = queue.startTask(config, 0);
        ConnectorTask changed = queue.startTask(new LineageConfig(Fixtures.options(LineageConfig.TOPICS, "orders")), 0);
        assertNotNull(old.run().endTime());
        old.close();
        assertNull(changed.run().endTime());
    }

    @Test
    void a_connector_that_restarts_all_the_time_while_headwater_is_unreachable_takes_bounded_memory() {
        ConnectorTask started = queue.startTask(config, 0);
        started.run().reported.runId = UUID.randomUUID();
        started.close();
        for (int i = 0; i < 10 * RunQueue.MAX_RUNS; i++) {
            queue.startTask(config, 0).close();
        }
        assertEquals(RunQueue.MAX_RUNS, runs().size());
        assertSame(started.run(), runs().get(0), "its end has to be reported");
        assertEquals(9 * RunQueue.MAX_RUNS + 1, queue.dropped());
    }
}
