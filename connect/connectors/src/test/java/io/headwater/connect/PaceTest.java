package io.headwater.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PaceTest {
    private static final long SECOND = 1_000_000_000;
    private long now;

    @Test
    void asManyAsTimeHasPassed() {
        Pace pace = new Pace(100, () -> now);
        assertEquals(0, pace.due(1000));
        now += SECOND / 2;
        assertEquals(50, pace.due(1000));
        assertEquals(0, pace.due(1000));
        now += SECOND / 300;
        assertEquals(0, pace.due(1000));
        now += SECOND / 100;
        assertEquals(1, pace.due(1000));
    }

    @Test
    void fractionsAddUp() {
        Pace pace = new Pace(0.5, () -> now);
        int made = 0;
        for (int i = 0; i < 1000; i++) {
            now += SECOND / 10;
            made += pace.due(10);
        }
        assertEquals(50, made);
    }

    @Test
    void aPauseIsNoReasonForAFlood() {
        Pace pace = new Pace(100, () -> now);
        now += 3600 * SECOND;
        assertEquals(60, pace.due(60));
        assertEquals(40, pace.due(60));
        assertEquals(0, pace.due(60));
    }

    @Test
    void withoutARateAsManyAsCanBe() {
        assertEquals(500, new Pace(0, () -> now).due(500));
    }
}
