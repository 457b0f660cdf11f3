package io.headwater.connect.lineage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class RunIdsTest {
    /** The ids that run_id in headwater/watch/connect/runs.py returns. */
    @Test
    void are_those_of_the_watcher() {
        assertEquals("65f28236-51ce-5721-9de7-56329158a249", RunIds.next("kafka-connect", "orders-sink", null).toString());
        String latest = "0a2d1c3e-0000-4000-8000-000000000001";
        assertEquals("ce2a7975-4cab-531a-b744-1e8e62fe6ddc", RunIds.next("kafka-connect", "börse", latest).toString());
    }
}
