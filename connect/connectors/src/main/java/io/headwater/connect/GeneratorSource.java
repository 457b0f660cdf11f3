package io.headwater.connect;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.source.ExactlyOnceSupport;
import org.apache.kafka.connect.source.SourceConnector;

/**
 * Makes records at a rate: fields are described by Datafaker expressions. The record with a number is the same whenever
 * it is made, so a worker that died goes on with the next number, and nothing is missing or there twice.
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

    /** One, whatever tasks.max says: records are counted, and one task makes more than a worker can write. */
    @Override
    public List<Map<String, String>> taskConfigs(int most) {
        return List.of(properties);
    }

    @Override
    public void stop() {}

    @Override
    public ConfigDef config() {
        return GeneratorConfig.DEFINITION;
    }

    /** Connect refuses options that the definition does not name; so what is wrong with a field is said at `fields`. */
    @Override
    public Config validate(Map<String, String> properties) {
        Config found = super.validate(properties);
        found.configValues().stream()
                .filter(value -> value.name().equals(GeneratorConfig.FIELDS))
                .forEach(value -> GeneratorConfig.problems(properties).forEach(value::addErrorMessage));
        return found;
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
