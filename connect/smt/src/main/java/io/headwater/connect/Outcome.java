package io.headwater.connect;

/** How a connector ended in this worker. {@code trace} is null where it is not known. */
record Outcome(boolean failed, String why, String trace) {}
