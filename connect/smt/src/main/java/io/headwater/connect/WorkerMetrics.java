package io.headwater.connect;

import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the worker says about tasks in its metrics, which are in the same process. They cost a record nothing, know a
 * task's state, and the bytes that a transform cannot see. A worker without the JMX reporter has none.
 */
final class WorkerMetrics {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerMetrics.class);
    private static final MBeanServer BEANS = ManagementFactory.getPlatformMBeanServer();

    private WorkerMetrics() {}

    /** The states of the tasks that this worker has of a connector: running, paused, failed, unassigned, … */
    static Map<Integer, String> states(String connector) {
        Map<Integer, String> found = new TreeMap<>();
        for (ObjectName name : named("kafka.connect:type=connector-task-metrics,*")) {
            if (connector.equals(value(name, "connector")) && read(name, "status") instanceof String state) {
                found.put(Integer.parseInt(value(name, "task")), state);
            }
        }
        return found;
    }

    /** Which way a connector's records go; null if the metrics do not say. */
    static TaskFlows.Side side(String connector) {
        for (TaskFlows.Side side : TaskFlows.Side.values()) {
            String type = side.name().toLowerCase(Locale.ROOT) + "-task-metrics";
            for (ObjectName name : named("kafka.connect:type=" + type + ",*")) {
                if (connector.equals(value(name, "connector"))) {
                    return side;
                }
            }
        }
        return null;
    }

    /** Of Connect; "" if the metrics do not say. */
    static String version() {
        for (ObjectName name : named("kafka.connect:type=app-info,*")) {
            if (read(name, "version") instanceof String version) {
                return version;
            }
        }
        return "";
    }

    /** Bytes that the connector's clients sent to, or fetched from, topics since they began. */
    static Map<String, Long> bytes(String connector, TaskFlows.Side side) {
        boolean source = side == TaskFlows.Side.SOURCE;
        String client = (source ? "connector-producer-" : "connector-consumer-") + connector + "-";
        Map<String, Long> found = new HashMap<>();
        for (ObjectName name : named(source
                ? "kafka.producer:type=producer-topic-metrics,*"
                : "kafka.consumer:type=consumer-fetch-manager-metrics,*")) {
            String id = value(name, "client-id");
            String topic = value(name, "topic");
            if (topic != null && name.getKeyProperty("partition") == null && id != null && isOf(client, id)
                    && read(name, source ? "byte-total" : "bytes-consumed-total") instanceof Double bytes) {
                found.merge(topic, bytes.longValue(), Long::sum);
            }
        }
        return found;
    }

    /** The rest of the client's name must be the task's number: connectors may be called a and a-b. */
    private static boolean isOf(String prefix, String client) {
        return client.startsWith(prefix) && client.substring(prefix.length()).chars().allMatch(Character::isDigit);
    }

    private static Iterable<ObjectName> named(String pattern) {
        try {
            return BEANS.queryNames(new ObjectName(pattern), null);
        } catch (JMException e) {
            throw new IllegalArgumentException(pattern, e);
        }
    }

    private static String value(ObjectName name, String property) {
        String value = name.getKeyProperty(property);
        return value != null && value.startsWith("\"") ? ObjectName.unquote(value) : value;
    }

    /** Null if it went away in the meantime. */
    private static Object read(ObjectName name, String attribute) {
        try {
            return BEANS.getAttribute(name, attribute);
        } catch (JMException e) {
            LOG.debug("{} of {}", attribute, name, e);
            return null;
        }
    }
}
