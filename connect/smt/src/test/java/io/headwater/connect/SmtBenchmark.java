package io.headwater.connect;

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

/** What a record costs in {@link OpenLineageLifecycleSmt#apply}: {@code make bench-connect}. Headwater is away. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SmtBenchmark {
    private static final int TOPICS = 64;

    private final OpenLineageLifecycleSmt<SinkRecord> sink = new OpenLineageLifecycleSmt<>();
    private final OpenLineageLifecycleSmt<SourceRecord> source = new OpenLineageLifecycleSmt<>();
    private final SinkRecord[] topics = new SinkRecord[TOPICS];
    private final SinkRecord[] copies = new SinkRecord[TOPICS];
    private final SinkRecord[] turns = new SinkRecord[TOPICS];
    private SinkRecord one;
    private SourceRecord plain;
    private int next;

    @Setup
    public void begin() {
        sink.configure(Samples.options(LineageConfig.CONNECTOR, "sink"));
        source.configure(Samples.options(LineageConfig.CONNECTOR, "source"));
        Schema schema = Samples.order().build();
        Schema other = Samples.order().field("price", Schema.OPTIONAL_FLOAT64_SCHEMA).build();
        one = Samples.sink("orders", schema);
        plain = Samples.source("lines", Schema.STRING_SCHEMA, "a line");
        for (int i = 0; i < TOPICS; i++) {
            topics[i] = Samples.sink("topic-" + i, schema);
            copies[i] = Samples.sink("copies", Samples.order().build());
            turns[i] = Samples.sink("turns", i % 2 == 0 ? schema : other);
        }
    }

    @TearDown
    public void end() {
        sink.close();
        source.close();
    }

    /** The ordinary case: the same topic and schema as before. */
    @Benchmark
    public SinkRecord sameTopic() {
        return sink.apply(one);
    }

    @Benchmark
    public SourceRecord plainText() {
        return source.apply(plain);
    }

    /** Every record is of another topic than the one before. */
    @Benchmark
    public SinkRecord manyTopics() {
        return sink.apply(topics[next++ & (TOPICS - 1)]);
    }

    /** A connector that makes its schema anew for every record. */
    @Benchmark
    public SinkRecord schemaCopies() {
        return sink.apply(copies[next++ & (TOPICS - 1)]);
    }

    /** Two versions of a schema in turns. */
    @Benchmark
    public SinkRecord schemasInTurns() {
        return sink.apply(turns[next++ & (TOPICS - 1)]);
    }
}
