package io.headwater.connect;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All couriers of this worker, one for each Headwater. Tasks of one connector meet here, and so make one run. */
final class Couriers {
    private static final Map<String, Courier> ALL = new HashMap<>();

    /** Longer than a worker waits for its tasks by default (task.shutdown.graceful.timeout.ms is 5 s). */
    private static final long CLOSING = 7_000;

    private static final long SENDING = 3_000;

    static {
        // A worker that is stopped closes its transforms and is gone: without this, nobody would hear of it.
        Runtime.getRuntime().addShutdownHook(new Thread(Couriers::finish, "headwater-lineage-end"));
    }

    private Couriers() {}

    static Connector.Task open(LineageConfig config, String name, int task) {
        synchronized (ALL) {
            String key = config.url() + " " + config.apiKey() + " " + config.timeoutMillis();
            return ALL.computeIfAbsent(key, k -> new Courier(config.url(), new Teller(new Headwater(config))))
                    .open(config, name, task);
        }
    }

    private static void finish() {
        List<Courier> couriers;
        synchronized (ALL) {
            couriers = new ArrayList<>(ALL.values());
        }
        try {
            for (Courier courier : couriers) {
                courier.finish(CLOSING, SENDING);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
