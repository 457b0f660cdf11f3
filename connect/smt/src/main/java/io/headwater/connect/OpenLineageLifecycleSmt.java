package io.headwater.connect;

import io.headwater.connect.lineage.ConnectorTask;
import io.headwater.connect.lineage.LineageConfig;
import io.headwater.connect.lineage.TaskCounter;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.components.Versioned;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.transforms.Transformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes every record on unchanged and reports the connector's lineage to Headwater: its start and end, its topics,
 * their schemas and how many records went through. Here records are only counted; another thread does the rest.
 *
 * <p>Connector configurations name this class, so it stays in this package: a second class under another name would
 * make the short name {@code OpenLineageLifecycleSmt} ambiguous, and Connect ignores ambiguous short names.
 */
public final class OpenLineageLifecycleSmt<R extends ConnectRecord<R>> implements Transformation<R>, Versioned {
    private static final Logger LOG = LoggerFactory.getLogger(OpenLineageLifecycleSmt.class);

    private ConnectorTask task;
    private TaskCounter counter;
    private boolean warned;

    @Override
    public ConfigDef config() {
        return LineageConfig.definition();
    }

    @Override
    public String version() {
        return "1";
    }

    @Override
    public void configure(Map<String, ?> options) {
        close();
        task = ConnectorTask.start(options);
        counter = task.counter();
    }

    @Override
    public R apply(R record) {
        try {
            if (record != null && counter != null) {
                counter.count(record);
            }
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            // Whatever is wrong with lineage, the record goes on.
            if (!warned) {
                warned = true;
                LOG.warn("A record could not be counted for lineage; further ones are not logged", e);
            }
        }
        return record;
    }

    @Override
    public void close() {
        if (task != null) {
            task.close();
            task = null;
            counter = null;
        }
    }
}
