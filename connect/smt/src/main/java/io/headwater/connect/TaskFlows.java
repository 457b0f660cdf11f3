package io.headwater.connect;

import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.source.SourceRecord;

/** What one task of a connector saw, by topic. The task's thread writes, the thread that tells reads. */
final class TaskFlows {
    /** A router may make a topic for every day or customer; more of them than this are counted nowhere. */
    static final int MOST_TOPICS = 1_000;

    /** Which way records go. */
    enum Side {
        SOURCE,
        SINK
    }

    /** Number of the task, or -1 if the worker does not say. */
    final int task;

    private final Runnable news;
    private final ConcurrentHashMap<String, TopicFlow> flows = new ConcurrentHashMap<>();
    private volatile Side side;
    private String lastTopic;
    private TopicFlow lastFlow;

    /** {@code news} is called when there is something to tell that should not wait. */
    TaskFlows(int task, Runnable news) {
        this.task = task;
        this.news = news;
    }

    Collection<TopicFlow> flows() {
        return flows.values();
    }

    /** Null before the first record. */
    Side side() {
        return side;
    }

    void saw(ConnectRecord<?> record) {
        // The topic that a sink really reads, even behind a transform that routes.
        String topic = record instanceof SinkRecord sink ? sink.originalTopic() : record.topic();
        TopicFlow flow = topic == lastTopic ? lastFlow : flow(record, topic);
        if (flow != null && flow.count(record.keySchema(), record.valueSchema())) {
            news.run();
        }
    }

    private TopicFlow flow(ConnectRecord<?> record, String topic) {
        if (topic == null) {
            return null;
        }
        if (side == null) {
            side = record instanceof SinkRecord ? Side.SINK : record instanceof SourceRecord ? Side.SOURCE : null;
        }
        TopicFlow flow = flows.get(topic);
        if (flow == null && flows.size() < MOST_TOPICS) {
            flow = new TopicFlow(topic);
            flows.put(topic, flow);
        }
        lastTopic = topic;
        lastFlow = flow;
        return flow;
    }
}
