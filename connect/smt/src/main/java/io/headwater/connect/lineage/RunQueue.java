package io.headwater.connect.lineage;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The runs of one connector in this worker whose end is not reported yet, oldest first. */
final class RunQueue {
    /** With Headwater unreachable and a connector that restarts all the time, the oldest runs beyond this are dropped. */
    static final int MAX_RUNS = 100;

    private static final Logger LOG = LoggerFactory.getLogger(RunQueue.class);

    final String connector;
    private final Runnable wake;
    private final Deque<ConnectorRun> runs = new ArrayDeque<>();
    private long dropped;

    /** {@code wake} is called when there is something to report that should not wait. */
    RunQueue(String connector, Runnable wake) {
        this.connector = connector;
        this.wake = wake;
    }

    synchronized ConnectorTask startTask(LineageConfig config, int number) {
        Instant now = Instant.now();
        ConnectorRun run = runs.peekLast();
        if (run != null && run.endTime() == null && !run.config.originals().equals(config.originals())) {
            run.end(now); // a task of the old configuration did not close
        }
        if (run == null || run.endTime() != null) {
            run = new ConnectorRun(config, now);
            runs.addLast(run);
            dropOldest();
        }
        TaskCounter counter = new TaskCounter(number, wake);
        run.add(counter);
        wake.run();
        return new ConnectorTask(run, counter, wake);
    }

    /** The run to report next; null if everything is reported. */
    synchronized ConnectorRun oldest() {
        return runs.peekFirst();
    }

    synchronized Iterable<ConnectorRun> runs() {
        return new ArrayDeque<>(runs);
    }

    synchronized boolean isNewest(ConnectorRun run) {
        return runs.peekLast() == run;
    }

    synchronized void remove(ConnectorRun run) {
        runs.remove(run);
    }

    synchronized boolean isEmpty() {
        return runs.isEmpty();
    }

    synchronized long dropped() {
        return dropped;
    }

    /** Runs whose start Headwater knows stay: it has to learn of their end. */
    private void dropOldest() {
        Iterator<ConnectorRun> oldest = runs.iterator();
        while (runs.size() > MAX_RUNS && oldest.hasNext()) {
            if (oldest.next().reported.runId == null) {
                oldest.remove();
                if (dropped++ == 0) {
                    LOG.warn("{} restarted more than {} times while Headwater could not be reached; the oldest runs are dropped",
                            connector, MAX_RUNS);
                }
            }
        }
    }
}
