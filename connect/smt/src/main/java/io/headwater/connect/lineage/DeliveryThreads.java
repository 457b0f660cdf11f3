package io.headwater.connect.lineage;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The delivery threads of this worker, one for each Headwater. All tasks of a connector share one, so they make one run. */
final class DeliveryThreads {
    private static final Map<String, DeliveryThread> THREADS = new HashMap<>();

    /** Longer than a worker waits for its tasks by default (task.shutdown.graceful.timeout.ms is 5 s). */
    private static final long CLOSE_TIMEOUT_MILLIS = 7_000;

    private static final long SEND_TIMEOUT_MILLIS = 3_000;

    static {
        // A worker that is stopped closes its transforms and exits: without this, nothing would report that.
        Runtime.getRuntime().addShutdownHook(new Thread(DeliveryThreads::shutDown, "headwater-lineage-end"));
    }

    private DeliveryThreads() {}

    static ConnectorTask startTask(LineageConfig config, String connector, int number) {
        synchronized (THREADS) {
            String key = config.url() + " " + config.apiKey() + " " + config.timeoutMillis();
            return THREADS.computeIfAbsent(key, k -> newThread(config)).startTask(config, connector, number);
        }
    }

    private static DeliveryThread newThread(LineageConfig config) {
        return new DeliveryThread(config.url(), new RunReporter(new HeadwaterClient(config)));
    }

    private static void shutDown() {
        List<DeliveryThread> threads;
        synchronized (THREADS) {
            threads = new ArrayList<>(THREADS.values());
        }
        try {
            for (DeliveryThread thread : threads) {
                thread.shutDown(CLOSE_TIMEOUT_MILLIS, SEND_TIMEOUT_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
