package io.headwater.connect.lineage;

import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.source.SourceRecord;

/** Counts the records of one task by topic. The task's thread writes, the delivery thread reads. */
public final class TaskCounter {
    /** A router may make a topic for every day or customer: records of further topics are not counted. */
    static final int MAX_TOPICS = 1_000;

    /** Number of the task, or -1 if the worker does not provide it. */
    final int number;

    private final Runnable onChange;
    private final ConcurrentHashMap<String, TopicCounter> topics = new ConcurrentHashMap<>();
    private volatile ConnectorType type;
    private String lastTopic;
    private TopicCounter lastCounter;

    /** {@code onChange} is called at the first record of a topic and when a schema changes. */
    TaskCounter(int number, Runnable onChange) {
        this.number = number;
        this.onChange = onChange;
    }

    Collection<TopicCounter> topics() {
        return topics.values();
    }

    /** Null before the first record. */
    ConnectorType type() {
        return type;
    }

    public void count(ConnectRecord<?> record) {
        // The topic that a sink really reads, even behind a transform that routes.
        String topic = record instanceof SinkRecord sink ? sink.originalTopic() : record.topic();
        TopicCounter counter = topic == lastTopic ? lastCounter : counter(record, topic);
        if (counter != null && counter.count(record.keySchema(), record.valueSchema())) {
            onChange.run();
        }
    }

    private TopicCounter counter(ConnectRecord<?> record, String topic) {
        if (topic == null) {
            return null;
        }
        if (type == null) {
            type = record instanceof SinkRecord ? ConnectorType.SINK
                    : record instanceof SourceRecord ? ConnectorType.SOURCE : null;
        }
        TopicCounter counter = topics.get(topic);
        if (counter == null && topics.size() < MAX_TOPICS) {
            counter = new TopicCounter(topic);
            topics.put(topic, counter);
        }
        lastTopic = topic;
        lastCounter = counter;
        return counter;
    }
}
