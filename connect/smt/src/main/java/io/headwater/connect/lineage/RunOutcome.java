package io.headwater.connect.lineage;

/** How a run ended in this worker. {@code trace} is null if it is unknown. */
record RunOutcome(boolean failed, String reason, String trace) {
    static RunOutcome aborted(String reason) {
        return new RunOutcome(false, reason, null);
    }

    static RunOutcome failed(String reason, String trace) {
        return new RunOutcome(true, reason, trace);
    }
}
