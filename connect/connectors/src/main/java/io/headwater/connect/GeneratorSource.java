package io.headwater.connect;

import io.headwater.connect.connectors.GeneratorConfig;
import io.headwater.connect.connectors.Version;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.source.ExactlyOnceSupport;
import org.apache.kafka.connect.source.SourceConnector;

/**
 * Generates records at a rate; Datafaker expressions describe their fields. Values depend on the seed and the record's
 * sequence number, which is the offset: after a crash the next worker continues with the next number, and no record is
 * missing or duplicate.
 *
 * <p>Connect and its users know this class and its task by name, so they stay in this package.
 */
public final class GeneratorSource extends SourceConnector {
    private Map<String, String> properties;

    @Override
    public void start(Map<String, String> properties) {
        this.properties = properties;
    }

    @Override
    public Class<? extends Task> taskClass() {
        return GeneratorTask.class;
    }

    /** One task, whatever tasks.max is: the numbers are one sequence, and one task generates more than a worker writes. */
    @Override
    public List<Map<String, String>> taskConfigs(int maxTasks) {
        return List.of(properties);
    }

    @Override
    public void stop() {}

    @Override
    public ConfigDef config() {
        return GeneratorConfig.DEFINITION;
    }

    /** Connect accepts errors only at options of the definition, so those of `field.…` options stand at `fields`. */
    @Override
    public Config validate(Map<String, String> properties) {
        Config config = super.validate(properties);
        config.configValues().stream()
                .filter(value -> value.name().equals(GeneratorConfig.FIELDS))
                .forEach(value -> GeneratorConfig.fieldErrors(properties).forEach(value::addErrorMessage));
        return config;
    }

    @Override
    public ExactlyOnceSupport exactlyOnceSupport(Map<String, String> properties) {
        return ExactlyOnceSupport.SUPPORTED;
    }

    @Override
    public String version() {
        return Version.NUMBER;
    }
}
