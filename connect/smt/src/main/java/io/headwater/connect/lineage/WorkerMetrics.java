package io.headwater.connect.lineage;

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
 * Reads the worker's metrics, which are in the same process. They have the state of tasks, and the bytes that a
 * transform cannot see, at no cost for records. A worker without the JMX reporter has none.
 */
final class WorkerMetrics {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerMetrics.class);
    private static final MBeanServer MBEANS = ManagementFactory.getPlatformMBeanServer();

    private WorkerMetrics() {}

    /** The states of a connector's tasks in this worker: running, paused, failed, unassigned, … */
    static Map<Integer, String> taskStates(String connector) {
        Map<Integer, String> states = new TreeMap<>();
        for (ObjectName name : mbeans("kafka.connect:type=connector-task-metrics,*")) {
            if (connector.equals(property(name, "connector")) && read(name, "status") instanceof String state) {
                states.put(Integer.parseInt(property(name, "task")), state);
            }
        }
        return states;
    }

    /** Null if the metrics do not have it. */
    static ConnectorType connectorType(String connector) {
        for (ConnectorType type : ConnectorType.values()) {
            String group = type.name().toLowerCase(Locale.ROOT) + "-task-metrics";
            for (ObjectName name : mbeans("kafka.connect:type=" + group + ",*")) {
                if (connector.equals(property(name, "connector"))) {
                    return type;
                }
            }
        }
        return null;
    }

    /** The version of Connect; "" if the metrics do not have it. */
    static String connectVersion() {
        for (ObjectName name : mbeans("kafka.connect:type=app-info,*")) {
            if (read(name, "version") instanceof String version) {
                return version;
            }
        }
        return "";
    }

    /** Bytes that the connector's clients sent to or fetched from each topic since they started. */
    static Map<String, Long> bytesByTopic(String connector, ConnectorType type) {
        boolean source = type == ConnectorType.SOURCE;
        String clientPrefix = (source ? "connector-producer-" : "connector-consumer-") + connector + "-";
        Map<String, Long> bytesByTopic = new HashMap<>();
        for (ObjectName name : mbeans(source
                ? "kafka.producer:type=producer-topic-metrics,*"
                : "kafka.consumer:type=consumer-fetch-manager-metrics,*")) {
            String client = property(name, "client-id");
            String topic = property(name, "topic");
            if (topic != null && name.getKeyProperty("partition") == null && client != null && isClientOf(clientPrefix, client)
                    && read(name, source ? "byte-total" : "bytes-consumed-total") instanceof Double bytes) {
                bytesByTopic.merge(topic, bytes.longValue(), Long::sum);
            }
        }
        return bytesByTopic;
    }

    /** The rest of the client's id must be the task's number: connectors may be called a and a-b. */
    private static boolean isClientOf(String prefix, String client) {
        return client.startsWith(prefix) && client.substring(prefix.length()).chars().allMatch(Character::isDigit);
    }

    private static Iterable<ObjectName> mbeans(String pattern) {
        try {
            return MBEANS.queryNames(new ObjectName(pattern), null);
        } catch (JMException e) {
            throw new IllegalArgumentException(pattern, e);
        }
    }

    private static String property(ObjectName name, String property) {
        String value = name.getKeyProperty(property);
        return value != null && value.startsWith("\"") ? ObjectName.unquote(value) : value;
    }

    /** Null if the bean was removed in the meantime. */
    private static Object read(ObjectName name, String attribute) {
        try {
            return MBEANS.getAttribute(name, attribute);
        } catch (JMException e) {
            LOG.debug("Cannot read {} of {}", attribute, name, e);
            return null;
        }
    }
}
