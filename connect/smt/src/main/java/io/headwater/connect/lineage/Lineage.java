package io.headwater.connect.lineage;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The datasets that a connector reads and writes. {@code sources} has each output's inputs; {@code sameColumns}: columns
 * pass unchanged from inputs to outputs.
 */
record Lineage(Map<DatasetName, Dataset> inputs, Map<DatasetName, Dataset> outputs,
        Map<DatasetName, List<DatasetName>> sources, boolean sameColumns) {
    static final Lineage NONE = new Lineage(Map.of(), Map.of(), Map.of(), false);
    private static final String TOPIC_PLACEHOLDER = "${topic}";

    record DatasetName(String namespace, String name) {}

    /** {@code topic} is null for a dataset outside Kafka. */
    record Dataset(DatasetName name, String topic, List<Column> columns) {
        Dataset withColumns(List<Column> more) {
            List<Column> all = new ArrayList<>(columns);
            for (Column column : more) {
                if (all.stream().noneMatch(known -> known.name().equals(column.name()))) {
                    all.add(column);
                }
            }
            return new Dataset(name, topic, all);
        }
    }

    /** {@code topics} with their columns. No datasets before the connector's type is known. */
    static Lineage of(LineageConfig config, ConnectorType type, Map<String, List<Column>> topics) {
        if (type == null) {
            return NONE;
        }
        boolean sink = type == ConnectorType.SINK;
        Map<DatasetName, Dataset> topicDatasets = new LinkedHashMap<>();
        Map<DatasetName, Dataset> externalDatasets = new LinkedHashMap<>();
        Map<DatasetName, List<DatasetName>> sources = new LinkedHashMap<>();
        topics.forEach((topic, columns) -> {
            DatasetName name = new DatasetName(config.kafkaNamespace(), topic);
            topicDatasets.put(name, new Dataset(name, topic, columns));
            if (config.datasetName().isEmpty()) {
                return;
            }
            DatasetName external =
                    new DatasetName(config.datasetNamespace(), config.datasetName().replace(TOPIC_PLACEHOLDER, topic));
            List<Column> externalColumns = config.sameColumns() ? valueColumns(columns) : List.of();
            externalDatasets.merge(external, new Dataset(external, null, externalColumns),
                    (known, more) -> known.withColumns(more.columns));
            sources.computeIfAbsent(sink ? external : name, k -> new ArrayList<>()).add(sink ? name : external);
        });
        if (topics.isEmpty() && !config.datasetName().isEmpty() && !config.datasetName().contains(TOPIC_PLACEHOLDER)) {
            DatasetName external = new DatasetName(config.datasetNamespace(), config.datasetName());
            externalDatasets.put(external, new Dataset(external, null, List.of()));
        }
        return sink
                ? new Lineage(topicDatasets, externalDatasets, sources, config.sameColumns())
                : new Lineage(externalDatasets, topicDatasets, sources, config.sameColumns());
    }

    /** Whether events must pair inputs with outputs, as not every input goes into every output. */
    boolean needsDatasetPairs() {
        return inputs.size() > 1 && outputs.size() > 1;
    }

    /** An output's columns, fields of structs included, each with the inputs that have the same column. */
    Map<String, List<DatasetName>> sharedColumns(DatasetName output) {
        Map<String, List<DatasetName>> shared = new LinkedHashMap<>();
        if (sameColumns) {
            List<String> outputPaths = paths("", valueColumns(outputs.get(output).columns));
            for (DatasetName input : sources.getOrDefault(output, List.of())) {
                for (String path : paths("", valueColumns(inputs.get(input).columns))) {
                    if (outputPaths.contains(path)) {
                        shared.computeIfAbsent(path, k -> new ArrayList<>()).add(input);
                    }
                }
            }
        }
        return shared;
    }

    /** A record's key is no column of an external dataset. */
    private static List<Column> valueColumns(List<Column> columns) {
        return columns.stream().filter(column -> !column.name().equals("key")).toList();
    }

    private static List<String> paths(String prefix, List<Column> columns) {
        List<String> paths = new ArrayList<>();
        for (Column column : columns) {
            paths.add(prefix + column.name());
            if (column.type().equals("struct")) {
                paths.addAll(paths(prefix + column.name() + ".", column.fields()));
            }
        }
        return paths;
    }
}
