package io.headwater.connect;

import io.headwater.connect.connectors.S3SinkConfig;
import io.headwater.connect.connectors.Version;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.sink.SinkConnector;

/**
 * Writes topics to an S3 store as objects of JSON lines, Avro or Parquet. An object is named after its topic, partition
 * and first offset: writing it again replaces it, so each record is in exactly one object.
 *
 * <p>Connect and its users know this class and its task by name, so they stay in this package.
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
    public List<Map<String, String>> taskConfigs(int maxTasks) {
        return Collections.nCopies(maxTasks, properties);
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
