package io.headwater.connect;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.sink.SinkConnector;

/**
 * Writes topics to an S3 store, as objects of JSON lines, Avro or Parquet. An object is named after topic, partition and
 * the offset that it begins with: what is written again replaces what was there, and each record is in one object.
 */
public final class S3Sink extends SinkConnector {
    private Map<String, String> properties;

    @Override
    public void start(Map<String, String> properties) {
        this.properties = properties;
    }

    @Override
    public Class<? extends Task> taskClass() {
        return S3SinkTask.class;
    }

    @Override
    public List<Map<String, String>> taskConfigs(int most) {
        return Collections.nCopies(most, properties);
    }

    @Override
    public void stop() {}

    @Override
    public ConfigDef config() {
        return S3SinkConfig.DEFINITION;
    }

    @Override
    public String version() {
        return Version.NUMBER;
    }
}
