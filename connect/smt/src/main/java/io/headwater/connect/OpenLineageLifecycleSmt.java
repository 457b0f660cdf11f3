package io.headwater.connect;

import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.components.Versioned;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.transforms.Transformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets every record pass as it is, and tells Headwater what the connector does: that it began, which topics and
 * schemas go through it, how many records, and that it ended. Everything but counting happens on another thread.
 */
public final class OpenLineageLifecycleSmt<R extends ConnectRecord<R>> implements Transformation<R>, Versioned {
    private static final Logger LOG = LoggerFactory.getLogger(OpenLineageLifecycleSmt.class);

    private Connector.Task task;
    private TaskFlows flows;
    private boolean complained;

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
        LineageConfig config = new LineageConfig(options);
        WorkerContext context = WorkerContext.here();
        String name = config.connector().isEmpty() ? context.connector() : config.connector();
        if (name.isEmpty()) {
            throw new ConfigException(LineageConfig.CONNECTOR, "", "must be set, as this worker has no log context");
        }
        if (!context.connector().isEmpty() && !name.equals(context.connector())) {
            LOG.warn("The connector is {}, but its lineage is told as {}, as {} says", context.connector(), name,
                    LineageConfig.CONNECTOR);
        }
        close();
        task = Couriers.open(config, name, context.task());
        flows = task.flows();
    }

    @Override
    public R apply(R record) {
        try {
            if (record != null && flows != null) {
                flows.saw(record);
            }
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            // Whatever is wrong with lineage, the record goes on.
            if (!complained) {
                complained = true;
                LOG.warn("A record could not be counted for its lineage; this is said once", e);
            }
        }
        return record;
    }

    @Override
    public void close() {
        if (task != null) {
            task.close();
            task = null;
            flows = null;
        }
    }
}
