package io.headwater.connect;

import io.headwater.connect.lineage.Fixtures;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.source.SourceRecord;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** What a record costs in {@link OpenLineageLifecycleSmt#apply}, with Headwater unreachable: {@code make bench-connect}. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SmtBenchmark {
    private static final int TOPICS = 64;

    private final OpenLineageLifecycleSmt<SinkRecord> sink = new OpenLineageLifecycleSmt<>();
    private final OpenLineageLifecycleSmt<SourceRecord> source = new OpenLineageLifecycleSmt<>();
    private final SinkRecord[] topics = new SinkRecord[TOPICS];
    private final SinkRecord[] copies = new SinkRecord[TOPICS];
    private final SinkRecord[] alternating = new SinkRecord[TOPICS];
    private SinkRecord order;
    private SourceRecord line;
    private int next;

    @Setup
    public void start() {
        sink.configure(Fixtures.options("connector.name", "sink"));
        source.configure(Fixtures.options("connector.name", "source"));
        Schema schema = Fixtures.orderSchema().build();
        Schema other = Fixtures.orderSchema().field("price", Schema.OPTIONAL_FLOAT64_SCHEMA).build();
        order = Fixtures.sinkRecord("orders", schema);
        line = Fixtures.sourceRecord("lines", Schema.STRING_SCHEMA, "a line");
        for (int i = 0; i < TOPICS; i++) {
            topics[i] = Fixtures.sinkRecord("topic-" + i, schema);
            copies[i] = Fixtures.sinkRecord("copies", Fixtures.orderSchema().build());
            alternating[i] = Fixtures.sinkRecord("alternating", i % 2 == 0 ? schema : other);
        }
    }

    @TearDown
    public void stop() {
        sink.close();
        source.close();
    }

    /** The ordinary case: topic and schema of the previous record. */
    @Benchmark
    public SinkRecord sameTopic() {
        return sink.apply(order);
    }

    @Benchmark
    public SourceRecord plainText() {
        return source.apply(line);
    }

    /** Every record has another topic than the previous one. */
    @Benchmark
    public SinkRecord manyTopics() {
        return sink.apply(topics[next++ & (TOPICS - 1)]);
    }

    /** A connector that builds a new schema instance for every record. */
    @Benchmark
    public SinkRecord schemaCopies() {
        return sink.apply(copies[next++ & (TOPICS - 1)]);
    }

    /** Two versions of a schema alternate. */
    @Benchmark
    public SinkRecord alternatingSchemas() {
        return sink.apply(alternating[next++ & (TOPICS - 1)]);
    }
}
