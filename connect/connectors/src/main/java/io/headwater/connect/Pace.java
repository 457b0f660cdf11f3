package io.headwater.connect;

import java.util.function.LongSupplier;

/** How many records are due, so that there are so many in a second. */
final class Pace {
    private static final double SECOND = 1e9;

    private final double rate;
    private final LongSupplier clock;
    private final long start;
    private double made;

    /** @param clock nanoseconds that only grow */
    Pace(double rate, LongSupplier clock) {
        this.rate = rate;
        this.clock = clock;
        this.start = clock.getAsLong();
    }

    /** Never more than a second's worth: after a pause of the machine nobody needs a flood. */
    int due(int most) {
        if (rate == 0) {
            return most;
        }
        double behind = (clock.getAsLong() - start) / SECOND * rate - made;
        double flood = Math.max(rate, 1);
        if (behind > flood) {
            made += behind - flood;
            behind = flood;
        }
        int now = (int) Math.min(behind, most);
        made += now;
        return now;
    }
}
