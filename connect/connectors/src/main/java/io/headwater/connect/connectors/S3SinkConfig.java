package io.headwater.connect.connectors;

import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Range;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.ValidString;
import org.apache.kafka.common.config.ConfigException;

/** The options of {@link io.headwater.connect.S3Sink}, named as in Confluent's S3 sink where that has them. */
public final class S3SinkConfig extends AbstractConfig {
    static final String BUCKET = "s3.bucket.name";
    static final String REGION = "s3.region";
    static final String STORE_URL = "store.url";
    static final String ACCESS_KEY = "aws.access.key.id";
    static final String SECRET_KEY = "aws.secret.access.key";
    static final String TOPICS_DIR = "topics.dir";
    static final String FORMAT = "format.class";
    static final String FLUSH_SIZE = "flush.size";
    static final String ROTATE_MS = "rotate.interval.ms";
    static final String COMPRESSION = "s3.compression.type";
    static final String AVRO_CODEC = "avro.codec";
    static final String PARQUET_CODEC = "parquet.codec";
    static final String ON_NULL = "behavior.on.null.values";

    public static final ConfigDef DEFINITION = new ConfigDef()
            .define(BUCKET, Type.STRING, ConfigDef.NO_DEFAULT_VALUE, new ConfigDef.NonEmptyString(), Importance.HIGH,
                    "The bucket. It must exist.")
            .define(REGION, Type.STRING, "us-east-1", Importance.MEDIUM, "The bucket's region.")
            .define(STORE_URL, Type.STRING, "", ConfigDef.LambdaValidator.with(S3SinkConfig::checkUrl, () -> "a URL"), Importance.MEDIUM,
                    "The URL of an S3 store other than Amazon's, such as http://127.0.0.1:9000.")
            .define(ACCESS_KEY, Type.STRING, "", Importance.HIGH,
                    "The access key; by default AWS's credentials provider chain.")
            .define(SECRET_KEY, Type.PASSWORD, "", Importance.HIGH, "The secret key of the access key.")
            .define(TOPICS_DIR, Type.STRING, "topics", Importance.MEDIUM,
                    "The folder that contains a folder for each topic; empty: the bucket itself.")
            .define(FORMAT, Type.STRING, "json",
                    ConfigDef.LambdaValidator.with((name, value) -> Format.of((String) value), () -> Format.NAMES), Importance.HIGH,
                    "The format of objects: " + Format.NAMES + ", or the name of Confluent's class for it.")
            .define(FLUSH_SIZE, Type.INT, 10_000, Range.atLeast(1), Importance.HIGH,
                    "The maximum number of records in an object.")
            .define(ROTATE_MS, Type.LONG, 60_000L, Range.atLeast(1), Importance.HIGH,
                    "The maximum time before a record is stored, in milliseconds.")
            .define(COMPRESSION, Type.STRING, "none", ValidString.in("none", "gzip"), Importance.LOW,
                    "Compression of JSON objects.")
            .define(AVRO_CODEC, Type.STRING, "null", ValidString.in("null", "deflate", "snappy"), Importance.LOW,
                    "Compression of Avro objects.")
            .define(PARQUET_CODEC, Type.STRING, "snappy", ValidString.in("none", "gzip", "snappy", "zstd"), Importance.LOW,
                    "Compression of Parquet objects.")
            .define(ON_NULL, Type.STRING, "fail", ValidString.in("fail", "ignore"), Importance.LOW,
                    "What to do with a record without a value. `fail`: it goes to the dead letter queue if there is one "
                    + "(errors.tolerance=all), else the task fails. `ignore`: it is skipped.");

    public S3SinkConfig(Map<String, String> properties) {
        super(DEFINITION, properties);
    }

    Format format() {
        return Format.of(getString(FORMAT));
    }

    public boolean nullsFail() {
        return getString(ON_NULL).equals("fail");
    }

    /** With a slash at its end, unless it is the bucket itself. */
    String folder() {
        String folder = getString(TOPICS_DIR).replaceAll("^/+|/+$", "");
        return folder.isEmpty() ? "" : folder + "/";
    }

    private static void checkUrl(String name, Object value) {
        String url = (String) value;
        if (!url.isEmpty() && !url.matches("https?://[^/]+.*")) {
            throw new ConfigException(name, url, "must start with http:// or https://");
        }
    }
}
