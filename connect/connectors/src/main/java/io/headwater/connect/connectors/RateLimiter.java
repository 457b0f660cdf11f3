package io.headwater.connect.connectors;

import java.util.function.LongSupplier;

/** How many records are due to keep a rate. */
public final class RateLimiter {
    private static final double NANOS_PER_SECOND = 1e9;

    private final double rate;
    private final LongSupplier nanoClock;
    private final long startNanos;
    private double released;

    /**
     * @param rate records a second; 0: no limit
     * @param nanoClock nanoseconds that never decrease
     */
    public RateLimiter(double rate, LongSupplier nanoClock) {
        this.rate = rate;
        this.nanoClock = nanoClock;
        this.startNanos = nanoClock.getAsLong();
    }

    /** At most {@code limit}, and never more than a second's worth: a pause is not followed by a burst. */
    public int due(int limit) {
        if (rate == 0) {
            return limit;
        }
        double due = (nanoClock.getAsLong() - startNanos) / NANOS_PER_SECOND * rate - released;
        double maxDue = Math.max(rate, 1);
        if (due > maxDue) {
            released += due - maxDue;
            due = maxDue;
        }
        int count = (int) Math.min(due, limit);
        released += count;
        return count;
    }
}
