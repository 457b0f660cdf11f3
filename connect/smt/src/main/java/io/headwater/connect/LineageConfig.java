package io.headwater.connect;

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

/** The options of {@link OpenLineageLifecycleSmt}. */
final class LineageConfig extends AbstractConfig {
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

    static ConfigDef definition() {
        return new ConfigDef()
                .define(URL, Type.STRING, ConfigDef.NO_DEFAULT_VALUE, LineageConfig::url, Importance.HIGH,
                        "Where Headwater listens, such as http://headwater:5000. Any server with Marquez's API will do.")
                .define(KAFKA, Type.STRING, ConfigDef.NO_DEFAULT_VALUE, LineageConfig::address, Importance.HIGH,
                        "HOST:PORT of a broker; topics are told as datasets of kafka://HOST:PORT. Take the address that "
                                + "your other jobs and the watcher use, or the graph falls into pieces.")
                .define(CONNECTOR, Type.STRING, "", Importance.HIGH,
                        "Name of the connector, which names the job. If empty, the name that the worker writes into its "
                                + "log context is taken; a worker without one needs this option.")
                .define(NAMESPACE, Type.STRING, "kafka-connect", new ConfigDef.NonEmptyString(), Importance.HIGH,
                        "Namespace of the job; every Connect cluster needs one of its own. The watcher's --namespace.")
                .define(TOPICS, Type.LIST, List.of(), Importance.MEDIUM,
                        "Topics to be told before the first record has come. Others are learnt from records.")
                .define(DATASET_NAMESPACE, Type.STRING, "", Importance.MEDIUM,
                        "Namespace of the dataset at the other end, such as s3://bucket. Empty: only topics are told.")
                .define(DATASET_NAME, Type.STRING, "", Importance.MEDIUM,
                        "Name of the dataset at the other end; ${topic} stands for the topic, one dataset for each.")
                .define(DATASET_COLUMNS, Type.STRING, UNKNOWN, ConfigDef.ValidString.in(UNKNOWN, IDENTITY), Importance.LOW,
                        "identity: the dataset at the other end has the topic's columns, unchanged. unknown: nothing is "
                                + "said of its columns.")
                .define(REGISTRY, Type.STRING, "", LineageConfig::urlOrEmpty, Importance.MEDIUM,
                        "Schema registry with Confluent's API: its Avro and JSON schemas count before those of records.")
                .define(REGISTRY_USER, Type.STRING, "", Importance.LOW, "User for the registry.")
                .define(REGISTRY_PASSWORD, Type.PASSWORD, NONE, Importance.LOW, "Password for the registry.")
                .define(CONNECT, Type.STRING, "", LineageConfig::urlOrEmpty, Importance.LOW,
                        "REST address of a worker, asked when the connector ends: for the error of a failed task, and "
                                + "whether it was stopped or deleted. Empty: failures are told without their traces.")
                .define(API_KEY, Type.PASSWORD, NONE, Importance.MEDIUM, "API key (bearer token) for Headwater.")
                .define(TIMEOUT, Type.INT, 5_000, ConfigDef.Range.between(100, 60_000), Importance.LOW,
                        "So long Headwater, the registry or Connect may take to answer. Records never wait for it.")
                .define(INTERVAL, Type.INT, 30_000, ConfigDef.Range.between(1_000, 3_600_000), Importance.LOW,
                        "Time between two RUNNING events of a connector of which nothing but its counts changes.");
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
        return bare(getString(URL));
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

    String registry() {
        return bare(getString(REGISTRY));
    }

    String registryUser() {
        return getString(REGISTRY_USER);
    }

    String registryPassword() {
        return getPassword(REGISTRY_PASSWORD).value();
    }

    String connect() {
        return bare(getString(CONNECT));
    }

    int intervalMillis() {
        return getInt(INTERVAL);
    }

    private static String bare(String url) {
        return url.replaceAll("/+$", "");
    }

    private static void url(String option, Object value) {
        try {
            URI uri = new URI(String.valueOf(value));
            if (("http".equals(uri.getScheme()) || "https".equals(uri.getScheme())) && uri.getHost() != null) {
                return;
            }
        } catch (URISyntaxException e) {
            // said below
        }
        throw new ConfigException(option, value, "is no address such as http://host:5000");
    }

    private static void urlOrEmpty(String option, Object value) {
        if (!"".equals(value)) {
            url(option, value);
        }
    }

    private static void address(String option, Object value) {
        if (!String.valueOf(value).matches("[A-Za-z0-9._-]+:[0-9]{1,5}|\\[[0-9a-fA-F:]+\\]:[0-9]{1,5}")) {
            throw new ConfigException(option, value, "is no broker's address such as host:9092");
        }
    }
}
