package io.headwater.connect.lineage;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread that reports all connectors of this worker to one Headwater. Tasks only wake it. */
final class DeliveryThread {
    private static final Logger LOG = LoggerFactory.getLogger(DeliveryThread.class);
    private static final long MIN_RETRY_MILLIS = 1_000;
    private static final long MAX_RETRY_MILLIS = 30_000;

    /** How often it checks whether an event is due. */
    private static final long TICK_MILLIS = 1_000;

    private final RunReporter reporter;
    private final String url;
    private final Map<String, RunQueue> queues = new HashMap<>();
    private final Semaphore wakeUps = new Semaphore(0);
    private final Set<String> failingConnectors = new HashSet<>();
    private boolean unreachable;
    private volatile boolean shuttingDown;

    DeliveryThread(String url, RunReporter reporter) {
        this.url = url;
        this.reporter = reporter;
        Thread thread = new Thread(this::run, "headwater-lineage");
        thread.setDaemon(true);
        thread.start();
    }

    /** Does not wait for the network. */
    ConnectorTask startTask(LineageConfig config, String connector, int number) {
        synchronized (queues) {
            return queues.computeIfAbsent(config.namespace() + "/" + connector, k -> new RunQueue(connector, this::wake))
                    .startTask(config, number);
        }
    }

    void wake() {
        if (wakeUps.availablePermits() == 0) {
            wakeUps.release();
        }
    }

    /** The worker stops: waits for tasks to close, ends the runs of those that do not, then waits until all is sent. */
    void shutDown(long closeTimeoutMillis, long sendTimeoutMillis) throws InterruptedException {
        shuttingDown = true;
        waitFor(closeTimeoutMillis, () -> queues().stream().allMatch(DeliveryThread::allEnded));
        for (RunQueue queue : queues()) {
            for (ConnectorRun run : queue.runs()) {
                run.end(Instant.now());
            }
        }
        wake();
        waitFor(sendTimeoutMillis, () -> queues().isEmpty());
    }

    private void run() {
        long retryMillis = MIN_RETRY_MILLIS;
        while (true) {
            try {
                boolean again = report();
                if (unreachable) {
                    LOG.warn("{} is reachable again; the delayed lineage was sent", url);
                }
                unreachable = false;
                retryMillis = MIN_RETRY_MILLIS;
                if (wakeUps.tryAcquire(again ? RunReporter.RECHECK_MILLIS : TICK_MILLIS, TimeUnit.MILLISECONDS)) {
                    wakeUps.drainPermits();
                }
            } catch (IOException e) {
                if (!unreachable) {
                    LOG.warn("Lineage cannot be sent to {}: {}. It is sent later; records are not delayed.", url, e.toString());
                }
                unreachable = true;
                waitForRetry(retryMillis);
                retryMillis = Math.min(retryMillis * 2, MAX_RETRY_MILLIS);
            } catch (InterruptedException e) {
                return; // nobody here does that: the worker wants its threads back
            }
        }
    }

    /** Returns whether something has to be checked again shortly. One connector's problem does not stop the others. */
    private boolean report() throws IOException {
        detectOutcomes();
        boolean again = false;
        HeadwaterClient.RefusedException refused = null;
        for (RunQueue queue : queues()) {
            try {
                again |= reporter.report(queue);
                failingConnectors.remove(queue.connector);
            } catch (HeadwaterClient.RefusedException e) {
                refused = e;
            } catch (RuntimeException | LinkageError e) {
                if (failingConnectors.add(queue.connector)) {
                    LOG.warn("The lineage of {} cannot be reported; retrying", queue.connector, e);
                }
            }
        }
        synchronized (queues) {
            queues.values().removeIf(RunQueue::isEmpty);
        }
        if (refused != null) {
            throw refused;
        }
        return again;
    }

    /** Also while Headwater is unreachable: the worker knows only for a short time how a run ended. */
    private void detectOutcomes() {
        for (RunQueue queue : queues()) {
            try {
                reporter.detectOutcomes(queue, shuttingDown);
            } catch (RuntimeException | LinkageError e) {
                LOG.warn("Cannot find out how {} ended", queue.connector, e);
            }
        }
    }

    private List<RunQueue> queues() {
        synchronized (queues) {
            return new ArrayList<>(queues.values());
        }
    }

    private static boolean allEnded(RunQueue queue) {
        for (ConnectorRun run : queue.runs()) {
            if (run.endTime() == null) {
                return false;
            }
        }
        return true;
    }

    private void waitForRetry(long millis) {
        long deadline = System.nanoTime() + millis * 1_000_000;
        try {
            while (System.nanoTime() < deadline) {
                detectOutcomes();
                wakeUps.tryAcquire(
                        shuttingDown ? RunReporter.RECHECK_MILLIS : Math.min(millis, TICK_MILLIS), TimeUnit.MILLISECONDS);
                if (shuttingDown) {
                    break;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void waitFor(long millis, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + millis * 1_000_000;
        while (!condition.getAsBoolean() && System.nanoTime() < deadline) {
            Thread.sleep(20);
        }
    }
}
