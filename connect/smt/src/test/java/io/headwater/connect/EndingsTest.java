package io.headwater.connect;

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

class EndingsTest {
    /** The bean of a task, as a worker has it. */
    public interface Task {
        String getstatus();
    }

    private volatile String state = "running";
    private ObjectName name;
    private final Endings endings = new Endings();

    private Incarnation ends(String connector, Instant at, String... options) throws Exception {
        name = new ObjectName("kafka.connect:type=connector-task-metrics,connector=" + connector + ",task=2");
        Task bean = () -> state;
        ManagementFactory.getPlatformMBeanServer().registerMBean(new StandardMBean(bean, Task.class), name);
        Incarnation incarnation = new Incarnation(new LineageConfig(Samples.options(options)), Instant.now());
        TaskFlows task = new TaskFlows(2, () -> {});
        incarnation.add(task);
        incarnation.remove(task, at);
        return incarnation;
    }

    @AfterEach
    void forget() throws Exception {
        ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
    }

    @Test
    void waits_for_the_state_and_knows_a_failure() throws Exception {
        String connector = "orders: \"eu\"";
        Incarnation incarnation = ends(ObjectName.quote(connector), Instant.now());
        assertNull(endings.of(connector, incarnation, true, false), "it may fail yet");
        state = "failed";
        assertEquals(Map.of(2, "failed"), WorkerMetrics.states(connector));
        Outcome outcome = endings.of(connector, incarnation, true, false);
        assertTrue(outcome.failed());
        assertEquals("task 2 failed", outcome.why());
    }

    @Test
    void anything_else_is_no_failure() throws Exception {
        Incarnation incarnation = ends("orders", Instant.now());
        state = "unassigned";
        assertFalse(endings.of("orders", incarnation, true, false).failed());
        assertEquals("the worker was stopped", endings.of("orders", incarnation, true, true).why());
    }

    @Test
    void one_that_began_anew_since_tells_nothing_of_the_one_before() throws Exception {
        Incarnation incarnation = ends("orders", Instant.now());
        assertTrue(endings.of("orders", incarnation, false, false).why().contains("restarted"));
    }

    @Test
    void does_not_wait_for_ever() throws Exception {
        assertNotNull(endings.of("orders", ends("orders", Instant.now().minusSeconds(10)), true, false));
    }

    @Test
    void a_failure_whose_trace_nobody_gives_is_told_without_it() throws Exception {
        Incarnation incarnation = ends("orders", Instant.now(), LineageConfig.CONNECT, Samples.NOWHERE);
        state = "failed";
        Outcome outcome = endings.of("orders", incarnation, true, false);
        assertTrue(outcome.failed());
        assertNull(outcome.trace());
    }
}
