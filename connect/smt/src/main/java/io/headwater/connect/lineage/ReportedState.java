package io.headwater.connect.lineage;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** What Headwater already knows of a run, and how the run ended. */
final class ReportedState {
    /** Null until the start is reported. The only field that other threads read. */
    volatile UUID runId;

    /** Topics, schemas and open tasks in the last event: a change of these is reported at once. */
    Object lastChange;

    /** The datasets of the last event. */
    Lineage lineage;

    /** Totals by topic in the last event; the next one has the difference. */
    final Map<String, Long> records = new HashMap<>();

    final Map<String, Long> bytes = new HashMap<>();

    /** When the last event was sent, by {@link System#nanoTime}; 0 if none was. */
    long lastEventNanos;

    /** Since when the run is over in Headwater, ended by another client, although tasks still run here; 0 if it is not. */
    long endedElsewhereNanos;

    /** Null until it is known how the run ended. */
    RunOutcome outcome;
}
