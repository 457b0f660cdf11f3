package io.headwater.connect;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** What the courier told of an incarnation, and what it found out about its end. */
final class Told {
    /** Null until the run is known. The only one that others read. */
    volatile UUID run;

    /** Topics, schemas and tasks as they were seen when it was told last, to notice what is new. */
    Object shown;

    /** What was told of datasets. */
    Lineage lineage;

    /** Records and bytes by topic that were told already. */
    final Map<String, Long> records = new HashMap<>();

    final Map<String, Long> bytes = new HashMap<>();

    /** In the clock of {@link System#nanoTime}; 0 if never. */
    long at;

    /** Since when the run is over although its tasks go on, because somebody else ended it; 0 if it is not. */
    long lostSince;

    /** Null until it is known how it ended. */
    Outcome outcome;
}
