package io.headwater.connect.connectors;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.connector.Connector;

/** Options for tests, and the errors that a connector finds in them. */
public final class Fixtures {
    /** A generator of the orders that the pipeline reads. */
    public static final Map<String, String> ORDERS = Map.ofEntries(
            Map.entry("name", "orders-source"),
            Map.entry("kafka.topic", "orders"),
            Map.entry("schema.name", "orders.Order"),
            Map.entry("schema.keyfield", "order_id"),
            Map.entry("fields", "order_id, item, price, supplier, bid_time"),
            Map.entry("field.order_id.with", "#{internet.uuid}"),
            Map.entry("field.item.with", "#{options.option 'tea','soap','wool'}"),
            Map.entry("field.price.with", "#{number.numberBetween '1','150'}.#{numerify '##'}"),
            Map.entry("field.supplier.with", "#{options.option 'Alice','Bob','Carol'}"),
            Map.entry("field.bid_time.with", "#{date.past '5','SECONDS'}"),
            Map.entry("field.bid_time.type", "timestamp"),
            Map.entry("rate", "0"));

    private Fixtures() {}

    public static Map<String, String> with(Map<String, String> options, String name, String value) {
        Map<String, String> changed = new HashMap<>(options);
        changed.put(name, value);
        return changed;
    }

    /** By option. */
    static Map<String, List<String>> errors(Connector connector, Map<String, String> options) {
        Map<String, List<String>> errors = new HashMap<>();
        connector.validate(options).configValues().forEach(value -> {
            if (!value.errorMessages().isEmpty()) {
                errors.put(value.name(), value.errorMessages());
            }
        });
        return errors;
    }
}
