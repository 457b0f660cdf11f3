package io.headwater.connect;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connector in this worker: its incarnations that are not told to their ends yet, the oldest first. */
final class Connector {
    /** With Headwater away and a connector that restarts all the time, so many are kept; then the oldest go. */
    static final int MOST_INCARNATIONS = 100;

    private static final Logger LOG = LoggerFactory.getLogger(Connector.class);

    final String name;
    private final Courier courier;
    private final Deque<Incarnation> incarnations = new ArrayDeque<>();
    private long dropped;

    /** A task of it that runs. */
    record Task(Connector connector, Incarnation incarnation, TaskFlows flows) {
        void close() {
            if (incarnation.remove(flows, Instant.now())) {
                connector.courier.wake();
            }
        }
    }

    Connector(String name, Courier courier) {
        this.name = name;
        this.courier = courier;
    }

    synchronized Task open(LineageConfig config, int number) {
        Instant now = Instant.now();
        Incarnation current = incarnations.peekLast();
        if (current != null && current.ended() == null && !current.config.originals().equals(config.originals())) {
            current.end(now); // a task that does not let go of its old configuration
        }
        if (current == null || current.ended() != null) {
            current = new Incarnation(config, now);
            incarnations.addLast(current);
            makeRoom();
        }
        TaskFlows flows = new TaskFlows(number, courier::wake);
        current.add(flows);
        courier.wake();
        return new Task(this, current, flows);
    }

    /** The one to be told next; null if all is told. */
    synchronized Incarnation first() {
        return incarnations.peekFirst();
    }

    synchronized Iterable<Incarnation> all() {
        return new ArrayDeque<>(incarnations);
    }

    synchronized boolean isLast(Incarnation incarnation) {
        return incarnations.peekLast() == incarnation;
    }

    synchronized void done(Incarnation incarnation) {
        incarnations.remove(incarnation);
    }

    synchronized boolean isDone() {
        return incarnations.isEmpty();
    }

    synchronized long dropped() {
        return dropped;
    }

    /** One of which Headwater knows the beginning is kept for its end. */
    private void makeRoom() {
        Iterator<Incarnation> oldest = incarnations.iterator();
        while (incarnations.size() > MOST_INCARNATIONS && oldest.hasNext()) {
            if (oldest.next().told.run == null) {
                oldest.remove();
                if (dropped++ == 0) {
                    LOG.warn("{} began anew so often while its lineage could not be told that some of it is dropped", name);
                }
            }
        }
    }
}
