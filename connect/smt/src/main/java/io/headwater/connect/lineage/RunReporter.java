package io.headwater.connect.lineage;

import io.headwater.connect.lineage.ConnectorRun.Snapshot;
import io.openlineage.client.OpenLineage.RunEvent.EventType;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Reports the runs of connectors: finds the run's id, sends its start, its progress and its end. For one thread only. */
final class RunReporter {
    /** When to call {@link #report} again if it returned true. */
    static final long RECHECK_MILLIS = 50;

    /** The tasks of a connector start within this time; then it is known which of them this worker has. */
    private static final long TASKS_START_MILLIS = 500;

    /** Changes are reported at once, but not more often than this. */
    private static final long MIN_EVENT_INTERVAL_MILLIS = 1_000;

    /** If another client ended a run, our tasks may be about to end, too: after this time a new run starts. */
    private static final long ENDED_ELSEWHERE_MILLIS = 5_000;

    private final HeadwaterClient headwater;
    private final EventBuilder events = new EventBuilder();
    private final OutcomeDetector outcomes = new OutcomeDetector();
    private final TopicColumns topicColumns = new TopicColumns();

    RunReporter(HeadwaterClient headwater) {
        this.headwater = headwater;
    }

    /** Finds out how runs ended while the worker still knows. Does not need Headwater. */
    void detectOutcomes(RunQueue queue, boolean workerStops) {
        for (ConnectorRun run : queue.runs()) {
            if (run.endTime() != null && run.reported.outcome == null) {
                run.reported.outcome = outcomes.detect(queue.connector, run, queue.isNewest(run), workerStops);
            }
        }
    }

    /** Returns whether it has to be called again shortly. */
    boolean report(RunQueue queue) throws IOException {
        ConnectorRun run;
        while ((run = queue.oldest()) != null) {
            boolean ended = run.endTime() != null;
            if (ended && run.reported.outcome == null) {
                return true;
            }
            if (run.reported.runId == null) {
                if (!ended && Instant.now().isBefore(run.startTime.plusMillis(TASKS_START_MILLIS))) {
                    return true;
                }
                reportStart(queue.connector, run, run.startTime);
            }
            if (!ended) {
                return reportProgress(queue.connector, run);
            }
            reportEnd(queue.connector, run);
            queue.remove(run);
        }
        return false;
    }

    private void reportStart(String connector, ConnectorRun run, Instant time) throws IOException {
        String namespace = run.config.namespace();
        HeadwaterClient.LatestRun latest = headwater.latestRun(namespace, connector);
        EventType type = EventType.START;
        UUID runId = RunIds.next(namespace, connector, latest == null ? null : latest.id());
        UUID openRun = openRunId(latest);
        if (openRun != null && WorkerFacets.workersAreGone(headwater.runFacets(latest.id()), run.snapshot().tasks())) {
            headwater.send(events.event(EventType.ABORT, time, namespace, connector, openRun,
                    events.runFacets("", Map.of("headwater_end", Map.of("reason", "its worker stopped reporting")), null),
                    Lineage.NONE, EventBuilder.Throughput.NONE, false));
        } else if (openRun != null) {
            runId = openRun;
            type = EventType.RUNNING; // another worker or the watcher reported its start
        }
        sendEvent(type, time, connector, run, runId, null, true);
        run.reported.runId = runId;
    }

    private boolean reportProgress(String connector, ConnectorRun run) throws IOException {
        ReportedState reported = run.reported;
        long sinceLastEvent = (System.nanoTime() - reported.lastEventNanos) / 1_000_000;
        boolean changed = !change(run.snapshot()).equals(reported.lastChange);
        boolean due = sinceLastEvent >= run.config.intervalMillis();
        boolean endedElsewhere = reported.endedElsewhereNanos != 0;
        if (!due && !(changed && sinceLastEvent >= MIN_EVENT_INTERVAL_MILLIS) && !endedElsewhere) {
            return changed;
        }
        UUID openRun = openRunId(headwater.latestRun(run.config.namespace(), connector));
        if (openRun != null) {
            boolean otherRun = !openRun.equals(reported.runId);
            reported.runId = openRun;
            reported.endedElsewhereNanos = 0;
            if (changed || due || otherRun) {
                sendEvent(EventType.RUNNING, Instant.now(), connector, run, openRun, null, otherRun);
            }
            return false;
        }
        if (!endedElsewhere) {
            reported.endedElsewhereNanos = System.nanoTime();
        } else if (System.nanoTime() - reported.endedElsewhereNanos >= ENDED_ELSEWHERE_MILLIS * 1_000_000) {
            reported.endedElsewhereNanos = 0;
            reportStart(connector, run, Instant.now());
        }
        return false;
    }

    private void reportEnd(String connector, ConnectorRun run) throws IOException {
        ReportedState reported = run.reported;
        List<Integer> tasks = run.snapshot().tasks();
        if (WorkerFacets.anotherWorkerRuns(headwater.runFacets(reported.runId.toString()), tasks)) {
            // Others must see that our tasks are closed before we check again: of two workers that stop at once, one must
            // end the run.
            sendEvent(EventType.RUNNING, run.endTime(), connector, run, reported.runId, null, false);
            if (WorkerFacets.anotherWorkerRuns(headwater.runFacets(reported.runId.toString()), tasks)) {
                return;
            }
        }
        EventType type = reported.outcome.failed() ? EventType.FAIL : EventType.ABORT;
        sendEvent(type, run.endTime(), connector, run, reported.runId, reported.outcome, false);
    }

    /** {@code full}: with schemas and columns even if they did not change, as the run's earlier events lack them. */
    private void sendEvent(EventType eventType, Instant time, String connector, ConnectorRun run, UUID runId,
            RunOutcome outcome, boolean full) throws IOException {
        ReportedState reported = run.reported;
        LineageConfig config = run.config;
        Snapshot snapshot = run.snapshot();
        ConnectorType type = snapshot.type() != null ? snapshot.type() : WorkerMetrics.connectorType(connector);
        Map<String, Long> bytes = type == null ? Map.of() : WorkerMetrics.bytesByTopic(connector, type);
        Map<String, Map<String, Object>> facets = new LinkedHashMap<>();
        facets.put(WorkerFacets.PREFIX + WorkerFacets.WORKER_ID,
                WorkerFacets.facet(config, snapshot, WorkerMetrics.taskStates(connector)));
        if (outcome != null) {
            facets.put("headwater_end", Map.of("reason", outcome.reason()));
        }
        Lineage lineage = Lineage.of(config, type, topicColumns.of(config, snapshot));
        headwater.send(events.event(eventType, time, config.namespace(), connector, runId,
                events.runFacets(WorkerMetrics.connectVersion(), facets, outcome), lineage,
                throughput(snapshot, bytes, reported), full || !lineage.equals(reported.lineage)));
        reported.lastEventNanos = System.nanoTime();
        reported.lineage = lineage;
        reported.lastChange = change(snapshot);
        snapshot.topics().forEach((topic, totals) -> reported.records.put(topic, totals.records()));
        reported.bytes.putAll(bytes);
    }

    /** Null if the run is over, or its id is no UUID: the OpenLineage client cannot send another, so it is not ours. */
    private static UUID openRunId(HeadwaterClient.LatestRun latest) {
        if (latest == null || !latest.isRunning()) {
            return null;
        }
        try {
            return UUID.fromString(latest.id());
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** The part of a snapshot whose change is worth an event at once. */
    private static Object change(Snapshot snapshot) {
        Map<String, Object> schemas = new HashMap<>();
        snapshot.topics().forEach((topic, totals) -> schemas.put(topic, totals.schemas()));
        return List.of(schemas, snapshot.openTasks());
    }

    /** Records and bytes since the last event. Bytes are missing where the worker has none, or its clients were restarted. */
    private static EventBuilder.Throughput throughput(Snapshot snapshot, Map<String, Long> byteTotals, ReportedState reported) {
        Map<String, Long> records = new HashMap<>();
        snapshot.topics().forEach((topic, totals) ->
                records.put(topic, totals.records() - reported.records.getOrDefault(topic, 0L)));
        Map<String, Long> bytes = new HashMap<>();
        byteTotals.forEach((topic, total) -> {
            long increase = total - reported.bytes.getOrDefault(topic, 0L);
            if (increase >= 0) {
                bytes.put(topic, increase);
            }
        });
        return new EventBuilder.Throughput(records, bytes);
    }
}
