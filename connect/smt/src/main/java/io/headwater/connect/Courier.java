package io.headwater.connect;

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

/** The thread that tells one Headwater about all connectors of this worker. Tasks only wake it. */
final class Courier {
    private static final Logger LOG = LoggerFactory.getLogger(Courier.class);
    private static final long FIRST_PAUSE = 1_000;
    private static final long LAST_PAUSE = 30_000;

    /** So often it looks whether something is due. */
    private static final long TICK = 1_000;

    private final Teller teller;
    private final String url;
    private final Map<String, Connector> connectors = new HashMap<>();
    private final Semaphore signal = new Semaphore(0);
    private final Set<String> troubled = new HashSet<>();
    private boolean away;
    private volatile boolean ending;

    Courier(String url, Teller teller) {
        this.url = url;
        this.teller = teller;
        Thread thread = new Thread(this::run, "headwater-lineage");
        thread.setDaemon(true);
        thread.start();
    }

    /** A task of a connector begins. Nothing here waits for the network. */
    Connector.Task open(LineageConfig config, String name, int task) {
        synchronized (connectors) {
            return connectors.computeIfAbsent(config.namespace() + "/" + name, k -> new Connector(name, this))
                    .open(config, task);
        }
    }

    void wake() {
        if (signal.availablePermits() == 0) {
            signal.release();
        }
    }

    /** The worker ends: its tasks get a moment to close, and what is to be told a moment to be sent. */
    void finish(long closing, long sending) throws InterruptedException {
        ending = true;
        await(closing, () -> all().stream().allMatch(Courier::isOver));
        for (Connector connector : all()) {
            for (Incarnation incarnation : connector.all()) {
                incarnation.end(Instant.now());
            }
        }
        wake();
        await(sending, () -> all().isEmpty());
    }

    private void run() {
        long pause = FIRST_PAUSE;
        while (true) {
            try {
                boolean soon = tell();
                if (away) {
                    LOG.warn("{} answers again; lineage that waited was sent", url);
                }
                away = false;
                pause = FIRST_PAUSE;
                if (signal.tryAcquire(soon ? Teller.MOMENT : TICK, TimeUnit.MILLISECONDS)) {
                    signal.drainPermits();
                }
            } catch (IOException e) {
                if (!away) {
                    LOG.warn("Lineage waits until {} answers: {}. Records go on.", url, e.toString());
                }
                away = true;
                pause = sleep(pause);
            } catch (InterruptedException e) {
                return; // nobody here does that: the worker wants its threads back
            }
        }
    }

    /** Whether something is to be looked at again in a moment. What one connector has wrong does not stop the others. */
    private boolean tell() throws IOException {
        look();
        boolean soon = false;
        Headwater.Refused refused = null;
        for (Connector connector : all()) {
            try {
                soon |= teller.tell(connector);
                troubled.remove(connector.name);
            } catch (Headwater.Refused e) {
                refused = e;
            } catch (RuntimeException | LinkageError e) {
                if (troubled.add(connector.name)) {
                    LOG.warn("The lineage of {} cannot be told; it is tried again", connector.name, e);
                }
            }
        }
        synchronized (connectors) {
            connectors.values().removeIf(Connector::isDone);
        }
        if (refused != null) {
            throw refused;
        }
        return soon;
    }

    /** How one ended is known only for a moment, however long Headwater is away. */
    private void look() {
        for (Connector connector : all()) {
            try {
                teller.look(connector, ending);
            } catch (RuntimeException | LinkageError e) {
                LOG.warn("How {} ended is not known", connector.name, e);
            }
        }
    }

    private List<Connector> all() {
        synchronized (connectors) {
            return new ArrayList<>(connectors.values());
        }
    }

    private static boolean isOver(Connector connector) {
        for (Incarnation incarnation : connector.all()) {
            if (incarnation.ended() == null) {
                return false;
            }
        }
        return true;
    }

    private long sleep(long pause) {
        long end = System.nanoTime() + pause * 1_000_000;
        try {
            while (System.nanoTime() < end) {
                look();
                signal.tryAcquire(ending ? Teller.MOMENT : Math.min(pause, TICK), TimeUnit.MILLISECONDS);
                if (ending) {
                    break;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Math.min(pause * 2, LAST_PAUSE);
    }

    private static void await(long millis, BooleanSupplier done) throws InterruptedException {
        long end = System.nanoTime() + millis * 1_000_000;
        while (!done.getAsBoolean() && System.nanoTime() < end) {
            Thread.sleep(20);
        }
    }
}
