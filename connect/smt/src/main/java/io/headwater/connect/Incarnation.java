package io.headwater.connect;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** One time that a connector ran in this worker: from its first task's beginning to its last one's end. */
final class Incarnation {
    final LineageConfig config;
    final Instant began;

    private final List<TaskFlows> open = new ArrayList<>();
    private final Map<String, Seen> ofClosed = new TreeMap<>();
    private final TreeSet<Integer> tasks = new TreeSet<>();
    private TaskFlows.Side side;
    private Instant ended;

    /** Only the courier's thread touches it. */
    final Told told = new Told();

    /** What went through by a topic since the beginning. */
    record Seen(long records, TopicFlow.Schemas schemas) {
        Seen plus(long more, TopicFlow.Schemas newer) {
            return new Seen(records + more, newer != null ? newer : schemas);
        }
    }

    /** Everything that can be said at a moment. {@code side} is null before the first record. */
    record Picture(Map<String, Seen> topics, TaskFlows.Side side, List<Integer> open, List<Integer> tasks) {}

    Incarnation(LineageConfig config, Instant began) {
        this.config = config;
        this.began = began;
    }

    synchronized void add(TaskFlows task) {
        open.add(task);
        tasks.add(task.task);
    }

    /** Whether that was the last one. What it counted stays. */
    synchronized boolean remove(TaskFlows task, Instant now) {
        if (!open.remove(task) || ended != null) {
            return false;
        }
        for (TopicFlow flow : task.flows()) {
            ofClosed.merge(flow.topic, new Seen(flow.records(), flow.schemas()), (a, b) -> a.plus(b.records, b.schemas));
        }
        side = task.side() != null ? task.side() : side;
        if (open.isEmpty()) {
            ended = now;
        }
        return open.isEmpty();
    }

    /** The worker ends, or goes on with another configuration, without having closed all tasks. */
    synchronized void end(Instant now) {
        for (TaskFlows task : List.copyOf(open)) {
            remove(task, now);
        }
    }

    /** Null while it goes on. */
    synchronized Instant ended() {
        return ended;
    }

    synchronized Picture picture() {
        Map<String, Seen> topics = new TreeMap<>(ofClosed);
        List<Integer> numbers = new ArrayList<>();
        TaskFlows.Side known = side;
        for (TaskFlows task : open) {
            numbers.add(task.task);
            known = known == null ? task.side() : known;
            for (TopicFlow flow : task.flows()) {
                topics.merge(flow.topic, new Seen(flow.records(), flow.schemas()), (a, b) -> a.plus(b.records, b.schemas));
            }
        }
        numbers.sort(null);
        return new Picture(topics, known, numbers, List.copyOf(tasks));
    }
}
