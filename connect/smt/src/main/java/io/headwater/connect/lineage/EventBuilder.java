package io.headwater.connect.lineage;

import io.headwater.connect.lineage.Lineage.Dataset;
import io.headwater.connect.lineage.Lineage.DatasetName;
import io.openlineage.client.OpenLineage;
import java.net.URI;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Builds the OpenLineage events of a connector. */
final class EventBuilder {
    private static final URI PRODUCER = URI.create("https://github.com/headwater/headwater/tree/main/connect/smt");

    /** Longer stack traces are cut. */
    private static final int MAX_TRACE_LENGTH = 16_000;

    private final OpenLineage ol = new OpenLineage(PRODUCER);

    /** Records and bytes since the last event, by topic. */
    record Throughput(Map<String, Long> records, Map<String, Long> bytes) {
        static final Throughput NONE = new Throughput(Map.of(), Map.of());
    }

    /** {@code full}: with schemas and columns; without them, Headwater keeps those of earlier events. */
    OpenLineage.RunEvent event(OpenLineage.RunEvent.EventType type, Instant time, String namespace, String connector,
            UUID run, OpenLineage.RunFacets facets, Lineage lineage, Throughput throughput, boolean full) {
        OpenLineage.JobFacets job = ol.newJobFacetsBuilder()
                .jobType(ol.newJobTypeJobFacetBuilder()
                        .processingType("STREAMING").integration("KAFKA_CONNECT").jobType("CONNECTOR").build())
                .build();
        List<OpenLineage.InputDataset> inputs = new ArrayList<>();
        lineage.inputs().values().forEach(dataset -> inputs.add(input(dataset, throughput, full)));
        List<OpenLineage.OutputDataset> outputs = new ArrayList<>();
        lineage.outputs().values().forEach(dataset -> outputs.add(output(dataset, lineage, throughput, full)));
        return ol.newRunEvent(time.atZone(ZoneOffset.UTC), type, ol.newRun(run, facets),
                ol.newJob(namespace, connector, job), inputs, outputs);
    }

    OpenLineage.RunFacets runFacets(String connectVersion, Map<String, Map<String, Object>> customFacets, RunOutcome outcome) {
        OpenLineage.RunFacetsBuilder facets = ol.newRunFacetsBuilder();
        if (!connectVersion.isEmpty()) {
            facets.processing_engine(
                    ol.newProcessingEngineRunFacetBuilder().version(connectVersion).name("kafka-connect").build());
        }
        customFacets.forEach((name, content) -> {
            OpenLineage.RunFacet facet = ol.newRunFacet();
            facet.getAdditionalProperties().putAll(content);
            facets.put(name, facet);
        });
        if (outcome != null && outcome.failed()) {
            String trace = outcome.trace() == null ? "" : outcome.trace().strip();
            String message = trace.isEmpty() ? outcome.reason() : outcome.reason() + ": " + trace.lines().findFirst().orElse("");
            facets.errorMessage(ol.newErrorMessageRunFacet(
                    message, "JAVA", trace.isEmpty() ? null : trace.substring(0, Math.min(MAX_TRACE_LENGTH, trace.length()))));
        }
        return facets.build();
    }

    private OpenLineage.InputDataset input(Dataset dataset, Throughput throughput, boolean full) {
        OpenLineage.InputDatasetInputFacets statistics = null;
        Long records = dataset.topic() == null ? null : throughput.records.get(dataset.topic());
        if (records != null) {
            statistics = ol.newInputDatasetInputFacetsBuilder()
                    .inputStatistics(ol.newInputStatisticsInputDatasetFacet(records, throughput.bytes.get(dataset.topic()), null))
                    .build();
        }
        OpenLineage.DatasetFacets facets = full ? facets(dataset).build() : null;
        return ol.newInputDataset(dataset.name().namespace(), dataset.name().name(), facets, statistics);
    }

    private OpenLineage.OutputDataset output(Dataset dataset, Lineage lineage, Throughput throughput, boolean full) {
        OpenLineage.OutputDatasetOutputFacets statistics = null;
        Long records = dataset.topic() == null ? null : throughput.records.get(dataset.topic());
        if (records != null) {
            statistics = ol.newOutputDatasetOutputFacetsBuilder()
                    .outputStatistics(ol.newOutputStatisticsOutputDatasetFacet(records, throughput.bytes.get(dataset.topic()), null))
                    .build();
        }
        OpenLineage.DatasetFacets facets = full ? addColumnLineage(facets(dataset), dataset, lineage).build() : null;
        return ol.newOutputDataset(dataset.name().namespace(), dataset.name().name(), facets, statistics);
    }

    private OpenLineage.DatasetFacetsBuilder facets(Dataset dataset) {
        String namespace = dataset.name().namespace();
        OpenLineage.DatasetFacetsBuilder facets = ol.newDatasetFacetsBuilder();
        facets.dataSource(ol.newDatasourceDatasetFacet(namespace, URI.create(namespace.replace(" ", "%20"))));
        if (dataset.topic() != null) {
            facets.datasetType(ol.newDatasetTypeDatasetFacet("TOPIC", null));
        }
        if (!dataset.columns().isEmpty()) {
            facets.schema(ol.newSchemaDatasetFacet(fields(dataset.columns())));
        }
        return facets;
    }

    private OpenLineage.DatasetFacetsBuilder addColumnLineage(
            OpenLineage.DatasetFacetsBuilder facets, Dataset output, Lineage lineage) {
        Map<String, List<DatasetName>> sharedColumns = lineage.sharedColumns(output.name());
        if (!sharedColumns.isEmpty()) {
            OpenLineage.ColumnLineageDatasetFacetFieldsBuilder fields = ol.newColumnLineageDatasetFacetFieldsBuilder();
            sharedColumns.forEach((column, inputs) -> fields.put(column, ol.newColumnLineageDatasetFacetFieldsAdditionalBuilder()
                    .inputFields(inputs.stream().map(input -> ol.newInputField(input.namespace(), input.name(), column,
                            List.of(ol.newInputFieldTransformations("DIRECT", "IDENTITY", "", false)))).toList())
                    .build()));
            facets.columnLineage(ol.newColumnLineageDatasetFacet(fields.build(), null));
        }
        if (lineage.needsDatasetPairs()) { // this facet has precedence over columnLineage, so it has the columns, too
            OpenLineage.LineageDatasetFacetFieldsBuilder fields = ol.newLineageDatasetFacetFieldsBuilder();
            sharedColumns.forEach((column, inputs) -> fields.put(column, ol.newLineageFieldEntry(inputs.stream()
                    .map(input -> lineageInput(input, column,
                            List.of(ol.newLineageTransformation("DIRECT", "IDENTITY", "", false)))).toList())));
            List<OpenLineage.LineageInput> inputs = lineage.sources().getOrDefault(output.name(), List.of()).stream()
                    .map(input -> lineageInput(input, null, null)).toList();
            facets.lineage(ol.newLineageDatasetFacet(inputs, sharedColumns.isEmpty() ? null : fields.build()));
        }
        return facets;
    }

    private OpenLineage.LineageInput lineageInput(
            DatasetName input, String column, List<OpenLineage.LineageTransformation> transformations) {
        return ol.newLineageDatasetInput(
                input.namespace(), input.name(), OpenLineage.LineageDatasetInput.Type.DATASET, column, transformations);
    }

    private List<OpenLineage.SchemaDatasetFacetFields> fields(List<Column> columns) {
        return columns.stream().map(column -> ol.newSchemaDatasetFacetFields(column.name(), column.type(), null, null,
                column.fields().isEmpty() ? null : fields(column.fields()))).toList();
    }
}
