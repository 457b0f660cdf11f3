package io.headwater.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class RunIdsTest {
    /** What headwater/watch/runs.py makes of the same. */
    @Test
    void are_those_of_the_watcher() {
        assertEquals("65f28236-51ce-5721-9de7-56329158a249", RunIds.after("kafka-connect", "orders-sink", null).toString());
        String before = "0a2d1c3e-0000-4000-8000-000000000001";
        assertEquals("ce2a7975-4cab-531a-b744-1e8e62fe6ddc", RunIds.after("kafka-connect", "börse", before).toString());
    }
}
