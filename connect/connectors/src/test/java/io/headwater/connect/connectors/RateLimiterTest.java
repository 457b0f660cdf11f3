package io.headwater.connect.connectors;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class RateLimiterTest {
    private static final long SECOND = 1_000_000_000;
    private long now;

    @Test
    void releasesRecordsAsTimePasses() {
        RateLimiter limiter = new RateLimiter(100, () -> now);
        assertEquals(0, limiter.due(1000));
        now += SECOND / 2;
        assertEquals(50, limiter.due(1000));
        assertEquals(0, limiter.due(1000));
        now += SECOND / 300;
        assertEquals(0, limiter.due(1000));
        now += SECOND / 100;
        assertEquals(1, limiter.due(1000));
    }

    @Test
    void fractionsAddUp() {
        RateLimiter limiter = new RateLimiter(0.5, () -> now);
        int records = 0;
        for (int i = 0; i < 1000; i++) {
            now += SECOND / 10;
            records += limiter.due(10);
        }
        assertEquals(50, records);
    }

    @Test
    void aPauseIsNotFollowedByABurst() {
        RateLimiter limiter = new RateLimiter(100, () -> now);
        now += 3600 * SECOND;
        assertEquals(60, limiter.due(60));
        assertEquals(40, limiter.due(60));
        assertEquals(0, limiter.due(60));
    }

    @Test
    void rateZeroIsNoLimit() {
        assertEquals(500, new RateLimiter(0, () -> now).due(500));
    }
}
