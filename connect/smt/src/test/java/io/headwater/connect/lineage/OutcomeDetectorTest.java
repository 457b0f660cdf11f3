package io.headwater.connect.lineage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.Map;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OutcomeDetectorTest {
    /** The bean of a task, as a worker has it. */
    public interface TaskMetrics {
        String getstatus();
    }

    private volatile String state = "running";
    private ObjectName bean;
    private final OutcomeDetector outcomes = new OutcomeDetector();

    private ConnectorRun endedRun(String connector, Instant endTime, String... options) throws Exception {
        bean = new ObjectName("kafka.connect:type=connector-task-metrics,connector=" + connector + ",task=2");
        TaskMetrics metrics = () -> state;
        ManagementFactory.getPlatformMBeanServer().registerMBean(new StandardMBean(metrics, TaskMetrics.class), bean);
        ConnectorRun run = new ConnectorRun(new LineageConfig(Fixtures.options(options)), Instant.now());
        TaskCounter task = new TaskCounter(2, () -> {});
        run.add(task);
        run.remove(task, endTime);
        return run;
    }

    @AfterEach
    void unregisterBean() throws Exception {
        ManagementFactory.getPlatformMBeanServer().unregisterMBean(bean);
    }

    @Test
    void waits_for_the_state_and_detects_a_failure() throws Exception {
        String connector = "orders: \"eu\"";
        ConnectorRun run = endedRun(ObjectName.quote(connector), Instant.now());
        assertNull(outcomes.detect(connector, run, true, false), "it may still fail");
        state = "failed";
        assertEquals(Map.of(2, "failed"), WorkerMetrics.taskStates(connector));
        RunOutcome outcome = outcomes.detect(connector, run, true, false);
        assertTrue(outcome.failed());
        assertEquals("task 2 failed", outcome.reason());
    }

    @Test
    void any_other_state_is_no_failure() throws Exception {
        ConnectorRun run = endedRun("orders", Instant.now());
        state = "unassigned";
        assertFalse(outcomes.detect("orders", run, true, false).failed());
        assertEquals("the worker was stopped", outcomes.detect("orders", run, true, true).reason());
    }

    @Test
    void metrics_of_a_newer_run_are_not_used() throws Exception {
        ConnectorRun run = endedRun("orders", Instant.now());
        state = "failed";
        RunOutcome outcome = outcomes.detect("orders", run, false, false);
        assertFalse(outcome.failed());
        assertTrue(outcome.reason().contains("restarted"));
    }

    @Test
    void does_not_wait_for_ever() throws Exception {
        assertNotNull(outcomes.detect("orders", endedRun("orders", Instant.now().minusSeconds(10)), true, false));
    }

    @Test
    void a_failure_is_reported_without_its_trace_if_connect_does_not_answer() throws Exception {
        ConnectorRun run = endedRun("orders", Instant.now(), LineageConfig.CONNECT, Fixtures.UNREACHABLE_URL);
        state = "failed";
        RunOutcome outcome = outcomes.detect("orders", run, true, false);
        assertTrue(outcome.failed());
        assertNull(outcome.trace());
    }
}
