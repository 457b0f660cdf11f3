package io.headwater.connect.lineage;

import io.headwater.connect.lineage.ConnectorRun.Snapshot;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The columns of a run's topics, from the registry or the records. */
final class TopicColumns {
    private final Map<String, SchemaRegistry> registries = new HashMap<>();

    /** The registry has precedence: an earlier transform may have changed the records' schemas. */
    Map<String, List<Column>> of(LineageConfig config, Snapshot snapshot) {
        SchemaRegistry registry = config.registryUrl().isEmpty()
                ? null
                : registries.computeIfAbsent(config.registryUrl() + " " + config.registryUser(), k -> new SchemaRegistry(config));
        Map<String, List<Column>> columns = new TreeMap<>();
        config.topics().forEach(topic -> columns.put(topic, columns(registry, topic, null)));
        snapshot.topics().forEach((topic, totals) -> columns.put(topic, columns(registry, topic, totals.schemas())));
        return columns;
    }

    private static List<Column> columns(SchemaRegistry registry, String topic, TopicCounter.Schemas ofRecords) {
        Column value = registry == null ? null : registry.schema(topic, "value");
        Column key = registry == null ? null : registry.schema(topic, "key");
        if (value == null && ofRecords != null) {
            value = Column.of("", ofRecords.value());
            Column recordKey = Column.of("", ofRecords.key());
            // A key without fields is mostly plain text that nobody registered; the watcher does not see it either.
            key = key == null && recordKey != null && recordKey.type().equals("struct") ? recordKey : key;
        }
        return Column.ofTopic(key, value);
    }
}
