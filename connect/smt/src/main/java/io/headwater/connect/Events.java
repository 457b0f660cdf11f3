package io.headwater.connect;

import io.headwater.connect.Lineage.Dataset;
import io.headwater.connect.Lineage.Name;
import io.openlineage.client.OpenLineage;
import java.net.URI;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** OpenLineage events of a connector. */
final class Events {
    private static final URI PRODUCER = URI.create("https://github.com/headwater/headwater/tree/main/connect/smt");

    /** The end of a trace has the cause; more than this nobody reads in a facet. */
    private static final int TRACE = 16_000;

    private final OpenLineage maker = new OpenLineage(PRODUCER);

    /** Records and bytes since the event before, by topic. */
    record Moved(Map<String, Long> records, Map<String, Long> bytes) {}

    /** {@code full}: with schemas and columns, which stay as they were told otherwise. */
    OpenLineage.RunEvent event(OpenLineage.RunEvent.EventType type, Instant time, String namespace, String connector,
            UUID run, OpenLineage.RunFacets facets, Lineage lineage, Moved moved, boolean full) {
        OpenLineage.JobFacets job = maker.newJobFacetsBuilder()
                .jobType(maker.newJobTypeJobFacetBuilder()
                        .processingType("STREAMING").integration("KAFKA_CONNECT").jobType("CONNECTOR").build())
                .build();
        List<OpenLineage.InputDataset> inputs = new ArrayList<>();
        lineage.inputs().values().forEach(one -> inputs.add(input(one, moved, full)));
        List<OpenLineage.OutputDataset> outputs = new ArrayList<>();
        lineage.outputs().values().forEach(one -> outputs.add(output(one, lineage, moved, full)));
        return maker.newRunEvent(time.atZone(ZoneOffset.UTC), type, maker.newRun(run, facets),
                maker.newJob(namespace, connector, job), inputs, outputs);
    }

    OpenLineage.RunFacets runFacets(String version, Map<String, Map<String, Object>> ours, Outcome outcome) {
        OpenLineage.RunFacetsBuilder facets = maker.newRunFacetsBuilder();
        if (!version.isEmpty()) {
            facets.processing_engine(
                    maker.newProcessingEngineRunFacetBuilder().version(version).name("kafka-connect").build());
        }
        ours.forEach((name, content) -> {
            OpenLineage.RunFacet facet = maker.newRunFacet();
            facet.getAdditionalProperties().putAll(content);
            facets.put(name, facet);
        });
        if (outcome != null && outcome.failed()) {
            String trace = outcome.trace() == null ? "" : outcome.trace().strip();
            String head = trace.isEmpty() ? outcome.why() : outcome.why() + ": " + trace.lines().findFirst().orElse("");
            facets.errorMessage(maker.newErrorMessageRunFacet(
                    head, "JAVA", trace.isEmpty() ? null : trace.substring(0, Math.min(TRACE, trace.length()))));
        }
        return facets.build();
    }

    private OpenLineage.InputDataset input(Dataset dataset, Moved moved, boolean full) {
        OpenLineage.InputDatasetInputFacets statistics = null;
        Long records = dataset.topic() == null ? null : moved.records.get(dataset.topic());
        if (records != null) {
            statistics = maker.newInputDatasetInputFacetsBuilder()
                    .inputStatistics(maker.newInputStatisticsInputDatasetFacet(records, moved.bytes.get(dataset.topic()), null))
                    .build();
        }
        OpenLineage.DatasetFacets facets = full ? facets(dataset).build() : null;
        return maker.newInputDataset(dataset.name().namespace(), dataset.name().name(), facets, statistics);
    }

    private OpenLineage.OutputDataset output(Dataset dataset, Lineage lineage, Moved moved, boolean full) {
        OpenLineage.OutputDatasetOutputFacets statistics = null;
        Long records = dataset.topic() == null ? null : moved.records.get(dataset.topic());
        if (records != null) {
            statistics = maker.newOutputDatasetOutputFacetsBuilder()
                    .outputStatistics(maker.newOutputStatisticsOutputDatasetFacet(records, moved.bytes.get(dataset.topic()), null))
                    .build();
        }
        OpenLineage.DatasetFacets facets = full ? withOrigins(facets(dataset), dataset, lineage).build() : null;
        return maker.newOutputDataset(dataset.name().namespace(), dataset.name().name(), facets, statistics);
    }

    private OpenLineage.DatasetFacetsBuilder facets(Dataset dataset) {
        String namespace = dataset.name().namespace();
        OpenLineage.DatasetFacetsBuilder facets = maker.newDatasetFacetsBuilder();
        facets.dataSource(maker.newDatasourceDatasetFacet(namespace, URI.create(namespace.replace(" ", "%20"))));
        if (dataset.topic() != null) {
            facets.datasetType(maker.newDatasetTypeDatasetFacet("TOPIC", null));
        }
        if (!dataset.columns().isEmpty()) {
            facets.schema(maker.newSchemaDatasetFacet(fields(dataset.columns())));
        }
        return facets;
    }

    private OpenLineage.DatasetFacetsBuilder withOrigins(OpenLineage.DatasetFacetsBuilder facets, Dataset output, Lineage lineage) {
        Map<String, List<Name>> shared = lineage.shared(output.name());
        if (!shared.isEmpty()) {
            OpenLineage.ColumnLineageDatasetFacetFieldsBuilder fields = maker.newColumnLineageDatasetFacetFieldsBuilder();
            shared.forEach((column, inputs) -> fields.put(column, maker.newColumnLineageDatasetFacetFieldsAdditionalBuilder()
                    .inputFields(inputs.stream().map(input -> maker.newInputField(input.namespace(), input.name(), column,
                            List.of(maker.newInputFieldTransformations("DIRECT", "IDENTITY", "", false)))).toList())
                    .build()));
            facets.columnLineage(maker.newColumnLineageDatasetFacet(fields.build(), null));
        }
        if (lineage.needsPairs()) { // it counts before columnLineage, so it has the columns, too
            OpenLineage.LineageDatasetFacetFieldsBuilder fields = maker.newLineageDatasetFacetFieldsBuilder();
            shared.forEach((column, inputs) -> fields.put(column, maker.newLineageFieldEntry(inputs.stream()
                    .map(input -> origin(input, column,
                            List.of(maker.newLineageTransformation("DIRECT", "IDENTITY", "", false)))).toList())));
            List<OpenLineage.LineageInput> inputs = lineage.sources().getOrDefault(output.name(), List.of()).stream()
                    .map(input -> origin(input, null, null)).toList();
            facets.lineage(maker.newLineageDatasetFacet(inputs, shared.isEmpty() ? null : fields.build()));
        }
        return facets;
    }

    private OpenLineage.LineageInput origin(Name input, String column, List<OpenLineage.LineageTransformation> ways) {
        return maker.newLineageDatasetInput(
                input.namespace(), input.name(), OpenLineage.LineageDatasetInput.Type.DATASET, column, ways);
    }

    private List<OpenLineage.SchemaDatasetFacetFields> fields(List<Column> columns) {
        return columns.stream().map(column -> maker.newSchemaDatasetFacetFields(column.name(), column.type(), null, null,
                column.fields().isEmpty() ? null : fields(column.fields()))).toList();
    }
}
