package io.headwater.connect.lineage;

import java.time.Instant;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running task of a connector: counts its records until it is closed. */
public final class ConnectorTask {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectorTask.class);

    private final ConnectorRun run;
    private final TaskCounter counter;
    private final Runnable onRunEnd;

    ConnectorTask(ConnectorRun run, TaskCounter counter, Runnable onRunEnd) {
        this.run = run;
        this.counter = counter;
        this.onRunEnd = onRunEnd;
    }

    /** Called on the task's thread: the worker names connector and task only in that thread's log context. */
    public static ConnectorTask start(Map<String, ?> options) {
        LineageConfig config = new LineageConfig(options);
        WorkerContext context = WorkerContext.current();
        String connector = config.connector().isEmpty() ? context.connector() : config.connector();
        if (connector.isEmpty()) {
            throw new ConfigException(LineageConfig.CONNECTOR, "", "must be set: this worker has no log context");
        }
        if (!context.connector().isEmpty() && !connector.equals(context.connector())) {
            LOG.warn("The connector is {}, but {} makes its lineage appear as {}", context.connector(),
                    LineageConfig.CONNECTOR, connector);
        }
        return DeliveryThreads.startTask(config, connector, context.task());
    }

    public TaskCounter counter() {
        return counter;
    }

    ConnectorRun run() {
        return run;
    }

    public void close() {
        if (run.remove(counter, Instant.now())) {
            onRunEnd.run();
        }
    }
}
