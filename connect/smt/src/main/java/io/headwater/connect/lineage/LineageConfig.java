package io.headwater.connect.lineage;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.types.Password;

/** The options of {@link io.headwater.connect.OpenLineageLifecycleSmt}. */
public final class LineageConfig extends AbstractConfig {
    static final String URL = "transport.url";
    static final String API_KEY = "transport.api.key";
    static final String TIMEOUT = "transport.timeout.ms";
    static final String CONNECTOR = "connector.name";
    static final String NAMESPACE = "namespace";
    static final String KAFKA = "kafka";
    static final String TOPICS = "topics";
    static final String DATASET_NAMESPACE = "dataset.namespace";
    static final String DATASET_NAME = "dataset.name";
    static final String DATASET_COLUMNS = "dataset.columns";
    static final String REGISTRY = "registry.url";
    static final String REGISTRY_USER = "registry.user";
    static final String REGISTRY_PASSWORD = "registry.password";
    static final String CONNECT = "connect.url";
    static final String INTERVAL = "interval.ms";

    static final String IDENTITY = "identity";
    static final String UNKNOWN = "unknown";

    private static final Password NONE = new Password("");

    public static ConfigDef definition() {
        return new ConfigDef()
                .define(URL, Type.STRING, ConfigDef.NO_DEFAULT_VALUE, LineageConfig::checkUrl, Importance.HIGH,
                        "URL of Headwater, such as http://headwater:5000, or of another server with Marquez's API.")
                .define(KAFKA, Type.STRING, ConfigDef.NO_DEFAULT_VALUE, LineageConfig::checkBrokerAddress, Importance.HIGH,
                        "HOST:PORT of a broker: topics are reported as datasets of kafka://HOST:PORT. Use the same address "
                                + "as your other jobs and the watcher; otherwise their graphs do not connect.")
                .define(CONNECTOR, Type.STRING, "", Importance.HIGH,
                        "Name of the job. By default the connector's name from the worker's log context; required if the "
                                + "worker has none.")
                .define(NAMESPACE, Type.STRING, "kafka-connect", new ConfigDef.NonEmptyString(), Importance.HIGH,
                        "Namespace of the job, the same as the watcher's --namespace. Each Connect cluster needs its own.")
                .define(TOPICS, Type.LIST, List.of(), Importance.MEDIUM,
                        "Topics to report before their first record. Others are reported once they have records.")
                .define(DATASET_NAMESPACE, Type.STRING, "", Importance.MEDIUM,
                        "Namespace of the dataset at the other end, such as s3://bucket. Empty: only topics are reported.")
                .define(DATASET_NAME, Type.STRING, "", Importance.MEDIUM,
                        "Name of the dataset at the other end. With ${topic} in it there is one dataset for each topic.")
                .define(DATASET_COLUMNS, Type.STRING, UNKNOWN, ConfigDef.ValidString.in(UNKNOWN, IDENTITY), Importance.LOW,
                        "identity: the dataset at the other end has the topic's columns, unchanged. unknown: its columns "
                                + "are not reported.")
                .define(REGISTRY, Type.STRING, "", LineageConfig::checkOptionalUrl, Importance.MEDIUM,
                        "URL of a schema registry with Confluent's API. Its Avro and JSON schemas have precedence over "
                                + "those of records.")
                .define(REGISTRY_USER, Type.STRING, "", Importance.LOW, "User for the registry.")
                .define(REGISTRY_PASSWORD, Type.PASSWORD, NONE, Importance.LOW, "Password for the registry.")
                .define(CONNECT, Type.STRING, "", LineageConfig::checkOptionalUrl, Importance.LOW,
                        "REST URL of a worker, used when the connector ends: it has the stack trace of a failed task and "
                                + "shows whether the connector was stopped or deleted. Empty: both stay unknown.")
                .define(API_KEY, Type.PASSWORD, NONE, Importance.MEDIUM, "API key (bearer token) for Headwater.")
                .define(TIMEOUT, Type.INT, 5_000, ConfigDef.Range.between(100, 60_000), Importance.LOW,
                        "Timeout of requests to Headwater, the registry and Connect. Records never wait for them.")
                .define(INTERVAL, Type.INT, 30_000, ConfigDef.Range.between(1_000, 3_600_000), Importance.LOW,
                        "Time between two RUNNING events while nothing but the counts changes.");
    }

    LineageConfig(Map<String, ?> options) {
        super(definition(), options, false);
        if (datasetNamespace().isEmpty() != datasetName().isEmpty()) {
            throw new ConfigException(DATASET_NAMESPACE + " and " + DATASET_NAME + " belong together: set both or none");
        }
        if (sameColumns() && datasetName().isEmpty()) {
            throw new ConfigException(DATASET_COLUMNS, IDENTITY, "needs " + DATASET_NAMESPACE + " and " + DATASET_NAME);
        }
        if (registryUser().isEmpty() != registryPassword().isEmpty()) {
            throw new ConfigException(REGISTRY_USER + " and " + REGISTRY_PASSWORD + " belong together: set both or none");
        }
    }

    String url() {
        return withoutTrailingSlash(getString(URL));
    }

    String apiKey() {
        return getPassword(API_KEY).value();
    }

    int timeoutMillis() {
        return getInt(TIMEOUT);
    }

    String connector() {
        return getString(CONNECTOR);
    }

    String namespace() {
        return getString(NAMESPACE);
    }

    String kafkaNamespace() {
        return "kafka://" + getString(KAFKA);
    }

    List<String> topics() {
        return getList(TOPICS);
    }

    String datasetNamespace() {
        return getString(DATASET_NAMESPACE);
    }

    String datasetName() {
        return getString(DATASET_NAME);
    }

    boolean sameColumns() {
        return getString(DATASET_COLUMNS).equals(IDENTITY);
    }

    String registryUrl() {
        return withoutTrailingSlash(getString(REGISTRY));
    }

    String registryUser() {
        return getString(REGISTRY_USER);
    }

    String registryPassword() {
        return getPassword(REGISTRY_PASSWORD).value();
    }

    String connectUrl() {
        return withoutTrailingSlash(getString(CONNECT));
    }

    int intervalMillis() {
        return getInt(INTERVAL);
    }

    private static String withoutTrailingSlash(String url) {
        return url.replaceAll("/+$", "");
    }

    private static void checkUrl(String option, Object value) {
        try {
            URI uri = new URI(String.valueOf(value));
            if (("http".equals(uri.getScheme()) || "https".equals(uri.getScheme())) && uri.getHost() != null) {
                return;
            }
        } catch (URISyntaxException e) {
            // reported below
        }
        throw new ConfigException(option, value, "must be a URL such as http://host:5000");
    }

    private static void checkOptionalUrl(String option, Object value) {
        if (!"".equals(value)) {
            checkUrl(option, value);
        }
    }

    private static void checkBrokerAddress(String option, Object value) {
        if (!String.valueOf(value).matches("[A-Za-z0-9._-]+:[0-9]{1,5}|\\[[0-9a-fA-F:]+\\]:[0-9]{1,5}")) {
            throw new ConfigException(option, value, "must be a broker address such as host:9092");
        }
    }
}
