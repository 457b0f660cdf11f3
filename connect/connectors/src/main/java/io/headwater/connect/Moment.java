package io.headwater.connect;

import java.util.Locale;
import java.util.Random;
import net.datafaker.Faker;

/** Everything that a record is made from: its number, its time, and chance that depends on nothing but seed and number. */
final class Moment {
    private final Chance chance = new Chance();
    final Faker faker = new Faker(Locale.ENGLISH, chance);
    private long sequence;
    private long time;

    Moment at(long seed, long sequence, long time) {
        this.sequence = sequence;
        this.time = time;
        chance.begin(seed, sequence);
        return this;
    }

    long sequence() {
        return sequence;
    }

    /** In milliseconds since 1970. */
    long time() {
        return time;
    }

    /** Evenly from 0 to `bound`, without it. */
    long below(long bound) {
        return bound <= 0 ? 0 : Math.floorMod(chance.step(), bound);
    }

    /** SplitMix64: begins anew with each record at no cost, and Datafaker takes it for what Java has. */
    private static final class Chance extends Random {
        private static final long serialVersionUID = 1;
        private static final long GAMMA = 0x9E3779B97F4A7C15L;
        private long state;

        void begin(long seed, long sequence) {
            state = mix(seed * GAMMA + sequence);
        }

        long step() {
            state += GAMMA;
            return mix(state);
        }

        @Override
        protected int next(int bits) {
            return (int) (step() >>> (64 - bits));
        }

        private static long mix(long z) {
            z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
            z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
            return z ^ (z >>> 31);
        }
    }
}
