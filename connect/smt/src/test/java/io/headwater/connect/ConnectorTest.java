package io.headwater.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** With a courier that reaches nobody, as when Headwater is away. */
class ConnectorTest {
    private final LineageConfig config = new LineageConfig(Samples.options());
    private final Connector connector =
            new Connector("orders", new Courier(Samples.NOWHERE, new Teller(new Headwater(config))));

    private List<Incarnation> kept() {
        List<Incarnation> found = new ArrayList<>();
        connector.all().forEach(found::add);
        return found;
    }

    @Test
    void tasks_that_overlap_are_one_incarnation_and_what_they_counted_adds_up() {
        Connector.Task first = connector.open(config, 0);
        Connector.Task second = connector.open(config, 1);
        first.flows().saw(Samples.sink("orders", null));
        second.flows().saw(Samples.sink("orders", null));
        first.close();
        Connector.Task again = connector.open(config, 0);
        again.flows().saw(Samples.sink("orders", null));
        assertSame(first.incarnation(), again.incarnation());
        assertNull(first.incarnation().ended());
        assertEquals(3, first.incarnation().picture().topics().get("orders").records());
        again.close();
        second.close();
        second.close();
        assertNotNull(first.incarnation().ended());
        assertEquals(3, first.incarnation().picture().topics().get("orders").records());
    }

    @Test
    void another_configuration_is_another_incarnation_even_if_a_task_did_not_close() {
        Connector.Task old = connector.open(config, 0);
        Connector.Task changed = connector.open(new LineageConfig(Samples.options(LineageConfig.TOPICS, "orders")), 0);
        assertNotNull(old.incarnation().ended());
        old.close();
        assertNull(changed.incarnation().ended());
    }

    @Test
    void a_connector_that_restarts_for_ever_while_headwater_is_away_takes_bounded_memory() {
        Connector.Task begun = connector.open(config, 0);
        begun.incarnation().told.run = UUID.randomUUID();
        begun.close();
        for (int i = 0; i < 10 * Connector.MOST_INCARNATIONS; i++) {
            connector.open(config, 0).close();
        }
        assertEquals(Connector.MOST_INCARNATIONS, kept().size());
        assertSame(begun.incarnation(), kept().get(0), "its end is still owed");
        assertEquals(9 * Connector.MOST_INCARNATIONS + 1, connector.dropped());
    }
}
