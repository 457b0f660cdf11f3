package io.headwater.connect;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a connector reads and writes. {@code sources} has, for each output, the inputs that go into it. */
record Lineage(Map<Name, Dataset> inputs, Map<Name, Dataset> outputs, Map<Name, List<Name>> sources, boolean sameColumns) {
    static final Lineage NONE = new Lineage(Map.of(), Map.of(), Map.of(), false);
    private static final String TOPIC = "${topic}";

    record Name(String namespace, String name) {}

    /** {@code topic} is null for what is no topic. */
    record Dataset(Name name, String topic, List<Column> columns) {
        Dataset plus(List<Column> more) {
            List<Column> all = new ArrayList<>(columns);
            for (Column column : more) {
                if (all.stream().noneMatch(known -> known.name().equals(column.name()))) {
                    all.add(column);
                }
            }
            return new Dataset(name, topic, all);
        }
    }

    /** {@code topics} with their columns. Nothing is said while nobody knows which way records go. */
    static Lineage of(LineageConfig config, TaskFlows.Side side, Map<String, List<Column>> topics) {
        if (side == null) {
            return NONE;
        }
        Map<Name, Dataset> ours = new LinkedHashMap<>();
        Map<Name, Dataset> theirs = new LinkedHashMap<>();
        Map<Name, List<Name>> sources = new LinkedHashMap<>();
        topics.forEach((topic, columns) -> {
            Name name = new Name(config.kafkaNamespace(), topic);
            ours.put(name, new Dataset(name, topic, columns));
            if (config.datasetName().isEmpty()) {
                return;
            }
            Name other = new Name(config.datasetNamespace(), config.datasetName().replace(TOPIC, topic));
            List<Column> same = config.sameColumns() ? ofValue(columns) : List.of();
            theirs.merge(other, new Dataset(other, null, same), (known, more) -> known.plus(more.columns));
            boolean sink = side == TaskFlows.Side.SINK;
            sources.computeIfAbsent(sink ? other : name, k -> new ArrayList<>()).add(sink ? name : other);
        });
        if (topics.isEmpty() && !config.datasetName().isEmpty() && !config.datasetName().contains(TOPIC)) {
            Name other = new Name(config.datasetNamespace(), config.datasetName());
            theirs.put(other, new Dataset(other, null, List.of()));
        }
        return side == TaskFlows.Side.SINK
                ? new Lineage(ours, theirs, sources, config.sameColumns())
                : new Lineage(theirs, ours, sources, config.sameColumns());
    }

    /** Not everything that goes in goes into everything that comes out. */
    boolean needsPairs() {
        return inputs.size() > 1 && outputs.size() > 1;
    }

    /** The columns that an output shares with its inputs, with the inputs that have them; structs with what is in them. */
    Map<String, List<Name>> shared(Name output) {
        Map<String, List<Name>> found = new LinkedHashMap<>();
        if (sameColumns) {
            List<String> wanted = paths("", ofValue(outputs.get(output).columns));
            for (Name input : sources.getOrDefault(output, List.of())) {
                for (String path : paths("", ofValue(inputs.get(input).columns))) {
                    if (wanted.contains(path)) {
                        found.computeIfAbsent(path, k -> new ArrayList<>()).add(input);
                    }
                }
            }
        }
        return found;
    }

    /** The key of a record is no column at the other end. */
    private static List<Column> ofValue(List<Column> columns) {
        return columns.stream().filter(column -> !column.name().equals("key")).toList();
    }

    private static List<String> paths(String prefix, List<Column> columns) {
        List<String> found = new ArrayList<>();
        for (Column column : columns) {
            found.add(prefix + column.name());
            if (column.type().equals("struct")) {
                found.addAll(paths(prefix + column.name() + ".", column.fields()));
            }
        }
        return found;
    }
}
