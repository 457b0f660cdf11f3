package io.headwater.connect.lineage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headwater.connect.lineage.Lineage.DatasetName;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LineageTest {
    private static final DatasetName A = new DatasetName("kafka://broker:9092", "a");
    private static final DatasetName B = new DatasetName("kafka://broker:9092", "b");
    private static final Column ID = new Column("id", "long");
    private static final Column HOME = new Column("home", "struct", List.of(new Column("city", "string")));
    private static final Column KEY = new Column("key", "string");
    private static final Map<String, List<Column>> TOPICS =
            new TreeMap<>(Map.of("a", List.of(ID, HOME, KEY), "b", List.of(ID)));

    private static LineageConfig config(String... more) {
        return new LineageConfig(Fixtures.options(more));
    }

    @Test
    void there_are_no_datasets_before_the_connectors_type_is_known() {
        assertEquals(Lineage.NONE, Lineage.of(config(), null, TOPICS));
    }

    @Test
    void topics_alone() {
        assertEquals(List.of(A, B), List.copyOf(Lineage.of(config(), ConnectorType.SOURCE, TOPICS).outputs().keySet()));
        assertEquals(List.of(A, B), List.copyOf(Lineage.of(config(), ConnectorType.SINK, TOPICS).inputs().keySet()));
    }

    @Test
    void each_topic_goes_into_its_own_dataset() {
        Lineage lineage = Lineage.of(
                config("dataset.namespace", "s3://x", "dataset.name", "raw/${topic}", "dataset.columns", "identity"),
                ConnectorType.SINK, TOPICS);
        DatasetName rawA = new DatasetName("s3://x", "raw/a");
        assertTrue(lineage.needsDatasetPairs());
        assertEquals(List.of(A), lineage.sources().get(rawA));
        assertEquals(Map.of("id", List.of(A), "home", List.of(A), "home.city", List.of(A)), lineage.sharedColumns(rawA));
        assertEquals(List.of(ID, HOME), lineage.outputs().get(rawA).columns());
    }

    @Test
    void a_dataset_of_several_topics_has_the_columns_of_all() {
        Lineage lineage = Lineage.of(
                config("dataset.namespace", "pg", "dataset.name", "t", "dataset.columns", "identity"),
                ConnectorType.SINK, TOPICS);
        DatasetName table = new DatasetName("pg", "t");
        assertFalse(lineage.needsDatasetPairs());
        assertEquals(List.of(A, B), lineage.sharedColumns(table).get("id"));
        assertEquals(List.of(A), lineage.sharedColumns(table).get("home.city"));
    }

    @Test
    void columns_are_not_reported_unless_they_are_configured_as_identical() {
        Lineage lineage = Lineage.of(config("dataset.namespace", "pg", "dataset.name", "t"), ConnectorType.SOURCE, TOPICS);
        assertEquals(Map.of(), lineage.sharedColumns(A));
        assertEquals(List.of(), lineage.inputs().get(new DatasetName("pg", "t")).columns());
    }
}
