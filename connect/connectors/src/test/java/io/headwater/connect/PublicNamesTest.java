package io.headwater.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.ServiceLoader;
import org.apache.kafka.connect.sink.SinkConnector;
import org.apache.kafka.connect.source.SourceConnector;
import org.junit.jupiter.api.Test;

/** Users configure connectors by these names, and Connect stores the names of their tasks in its config topic. */
class PublicNamesTest {
    @Test
    void serviceDiscoveryFindsEachConnectorOnce() {
        assertEquals(List.of("io.headwater.connect.GeneratorSource"), discover(SourceConnector.class));
        assertEquals(List.of("io.headwater.connect.S3Sink"), discover(SinkConnector.class));
    }

    @Test
    void tasksKeepTheirNames() {
        assertEquals("io.headwater.connect.GeneratorTask", new GeneratorSource().taskClass().getName());
        assertEquals("io.headwater.connect.S3SinkTask", new S3Sink().taskClass().getName());
    }

    private static List<String> discover(Class<?> type) {
        return ServiceLoader.load(type).stream()
                .map(provider -> provider.type().getName()).filter(name -> name.startsWith("io.headwater")).toList();
    }
}
