package io.headwater.connect.lineage;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One run of a connector in this worker, from the start of its first task to the end of its last one. Tasks of the
 * connector in other workers belong to the same OpenLineage run.
 */
final class ConnectorRun {
    final LineageConfig config;
    final Instant startTime;

    private final List<TaskCounter> openTasks = new ArrayList<>();
    private final Map<String, TopicTotals> closedTotals = new TreeMap<>();
    private final TreeSet<Integer> taskNumbers = new TreeSet<>();
    private ConnectorType type;
    private Instant endTime;

    /** Used by the delivery thread alone. */
    final ReportedState reported = new ReportedState();

    /** Records of a topic since the run's start, and their latest schemas. */
    record TopicTotals(long records, TopicCounter.Schemas schemas) {
        TopicTotals plus(TopicTotals newer) {
            return new TopicTotals(records + newer.records, newer.schemas != null ? newer.schemas : schemas);
        }
    }

    /**
     * The run at one moment. {@code type} is null before the first record; {@code tasks} has every task that this worker
     * ever had in the run.
     */
    record Snapshot(Map<String, TopicTotals> topics, ConnectorType type, List<Integer> openTasks, List<Integer> tasks) {}

    ConnectorRun(LineageConfig config, Instant startTime) {
        this.config = config;
        this.startTime = startTime;
    }

    synchronized void add(TaskCounter task) {
        openTasks.add(task);
        taskNumbers.add(task.number);
    }

    /** Keeps the task's counts. Returns whether it was the last open task. */
    synchronized boolean remove(TaskCounter task, Instant now) {
        if (!openTasks.remove(task) || endTime != null) {
            return false;
        }
        addTotals(closedTotals, task);
        type = task.type() != null ? task.type() : type;
        if (openTasks.isEmpty()) {
            endTime = now;
        }
        return openTasks.isEmpty();
    }

    /** For tasks that did not close although the worker stops or has a new configuration. */
    synchronized void end(Instant now) {
        for (TaskCounter task : List.copyOf(openTasks)) {
            remove(task, now);
        }
    }

    /** Null while it runs. */
    synchronized Instant endTime() {
        return endTime;
    }

    synchronized Snapshot snapshot() {
        Map<String, TopicTotals> topics = new TreeMap<>(closedTotals);
        List<Integer> open = new ArrayList<>();
        ConnectorType knownType = type;
        for (TaskCounter task : openTasks) {
            open.add(task.number);
            knownType = knownType == null ? task.type() : knownType;
            addTotals(topics, task);
        }
        open.sort(null);
        return new Snapshot(topics, knownType, open, List.copyOf(taskNumbers));
    }

    private static void addTotals(Map<String, TopicTotals> totals, TaskCounter task) {
        for (TopicCounter counter : task.topics()) {
            totals.merge(counter.topic, new TopicTotals(counter.records(), counter.schemas()), TopicTotals::plus);
        }
    }
}
