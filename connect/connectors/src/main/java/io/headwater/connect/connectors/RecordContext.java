package io.headwater.connect.connectors;

import java.util.Locale;
import java.util.Random;
import net.datafaker.Faker;

/** What a record is generated from: its number, its time, and random numbers that depend only on seed and number. */
public final class RecordContext {
    private final SplitMix64 random = new SplitMix64();
    final Faker faker = new Faker(Locale.ENGLISH, random);
    private long sequence;
    private long time;

    /** For the next record; {@code time} is in milliseconds since 1970. */
    public RecordContext reset(long seed, long sequence, long time) {
        this.sequence = sequence;
        this.time = time;
        random.reset(seed, sequence);
        return this;
    }

    long sequence() {
        return sequence;
    }

    long time() {
        return time;
    }

    /** A random number from 0 to {@code bound - 1}. */
    long randomBelow(long bound) {
        return bound <= 0 ? 0 : Math.floorMod(random.nextState(), bound);
    }

    /** Unlike Java's own generators, this one is cheap to seed for each record. */
    private static final class SplitMix64 extends Random {
        private static final long serialVersionUID = 1;
        private static final long GAMMA = 0x9E3779B97F4A7C15L;
        private long state;

        void reset(long seed, long sequence) {
            state = mix(seed * GAMMA + sequence);
        }

        long nextState() {
            state += GAMMA;
            return mix(state);
        }

        @Override
        protected int next(int bits) {
            return (int) (nextState() >>> (64 - bits));
        }

        private static long mix(long z) {
            z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
            z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
            return z ^ (z >>> 31);
        }
    }
}
