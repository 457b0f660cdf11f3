package io.headwater.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headwater.connect.Lineage.Name;
import io.headwater.connect.TaskFlows.Side;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LineageTest {
    private static final Name A = new Name("kafka://broker:9092", "a");
    private static final Name B = new Name("kafka://broker:9092", "b");
    private static final Column ID = new Column("id", "long");
    private static final Column HOME = new Column("home", "struct", List.of(new Column("city", "string")));
    private static final Column KEY = new Column("key", "string");
    private static final Map<String, List<Column>> TOPICS =
            new TreeMap<>(Map.of("a", List.of(ID, HOME, KEY), "b", List.of(ID)));

    private static LineageConfig config(String... more) {
        return new LineageConfig(Samples.options(more));
    }

    @Test
    void nothing_is_said_before_the_side_is_known() {
        assertEquals(Lineage.NONE, Lineage.of(config(), null, TOPICS));
    }

    @Test
    void topics_alone() {
        assertEquals(List.of(A, B), List.copyOf(Lineage.of(config(), Side.SOURCE, TOPICS).outputs().keySet()));
        assertEquals(List.of(A, B), List.copyOf(Lineage.of(config(), Side.SINK, TOPICS).inputs().keySet()));
    }

    @Test
    void a_dataset_for_each_topic_reaches_only_its_own() {
        Lineage found = Lineage.of(
                config("dataset.namespace", "s3://x", "dataset.name", "raw/${topic}", "dataset.columns", "identity"),
                Side.SINK, TOPICS);
        Name rawA = new Name("s3://x", "raw/a");
        assertTrue(found.needsPairs());
        assertEquals(List.of(A), found.sources().get(rawA));
        assertEquals(Map.of("id", List.of(A), "home", List.of(A), "home.city", List.of(A)), found.shared(rawA));
        assertEquals(List.of(ID, HOME), found.outputs().get(rawA).columns());
    }

    @Test
    void one_dataset_of_several_topics_has_the_columns_of_all() {
        Lineage found = Lineage.of(
                config("dataset.namespace", "pg", "dataset.name", "t", "dataset.columns", "identity"), Side.SINK, TOPICS);
        Name table = new Name("pg", "t");
        assertFalse(found.needsPairs());
        assertEquals(List.of(A, B), found.shared(table).get("id"));
        assertEquals(List.of(A), found.shared(table).get("home.city"));
    }

    @Test
    void columns_that_nobody_vouches_for_are_not_told() {
        Lineage found = Lineage.of(config("dataset.namespace", "pg", "dataset.name", "t"), Side.SOURCE, TOPICS);
        assertEquals(Map.of(), found.shared(A));
        assertEquals(List.of(), found.inputs().get(new Name("pg", "t")).columns());
    }
}
