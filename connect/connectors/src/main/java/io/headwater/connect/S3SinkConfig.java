package io.headwater.connect;

import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Range;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.ValidString;
import org.apache.kafka.common.config.ConfigException;

/** What a sink was told, in the words of Confluent's S3 sink. */
final class S3SinkConfig extends AbstractConfig {
    static final String BUCKET = "s3.bucket.name";
    static final String REGION = "s3.region";
    static final String STORE_URL = "store.url";
    static final String KEY = "aws.access.key.id";
    static final String SECRET = "aws.secret.access.key";
    static final String TOPICS_DIR = "topics.dir";
    static final String FORMAT = "format.class";
    static final String FLUSH_SIZE = "flush.size";
    static final String ROTATE_MS = "rotate.interval.ms";
    static final String COMPRESSION = "s3.compression.type";
    static final String AVRO_CODEC = "avro.codec";
    static final String PARQUET_CODEC = "parquet.codec";
    static final String ON_NULL = "behavior.on.null.values";

    static final ConfigDef DEFINITION = new ConfigDef()
            .define(BUCKET, Type.STRING, ConfigDef.NO_DEFAULT_VALUE, new ConfigDef.NonEmptyString(), Importance.HIGH,
                    "The bucket. It has to be there.")
            .define(REGION, Type.STRING, "us-east-1", Importance.MEDIUM, "The bucket's region.")
            .define(STORE_URL, Type.STRING, "", ConfigDef.LambdaValidator.with(S3SinkConfig::checkUrl, () -> "a URL"), Importance.MEDIUM,
                    "The address of an S3 store that is not Amazon's, such as http://127.0.0.1:9000.")
            .define(KEY, Type.STRING, "", Importance.HIGH,
                    "The access key; by default keys are found as AWS's tools do.")
            .define(SECRET, Type.PASSWORD, "", Importance.HIGH, "The secret that belongs to the access key.")
            .define(TOPICS_DIR, Type.STRING, "topics", Importance.MEDIUM,
                    "The folder that has a folder for each topic; empty: the bucket itself.")
            .define(FORMAT, Type.STRING, "json",
                    ConfigDef.LambdaValidator.with((name, value) -> Format.of((String) value), () -> Format.NAMES), Importance.HIGH,
                    "How objects are written: " + Format.NAMES + ", or the class of Confluent's sink for it.")
            .define(FLUSH_SIZE, Type.INT, 10_000, Range.atLeast(1), Importance.HIGH,
                    "How many records an object has at most.")
            .define(ROTATE_MS, Type.LONG, 60_000L, Range.atLeast(1), Importance.HIGH,
                    "How long a record waits at most before it is stored, in milliseconds.")
            .define(COMPRESSION, Type.STRING, "none", ValidString.in("none", "gzip"), Importance.LOW,
                    "How objects of JSON lines are packed.")
            .define(AVRO_CODEC, Type.STRING, "null", ValidString.in("null", "deflate", "snappy"), Importance.LOW,
                    "How Avro's blocks are packed.")
            .define(PARQUET_CODEC, Type.STRING, "snappy", ValidString.in("none", "gzip", "snappy", "zstd"), Importance.LOW,
                    "How Parquet's pages are packed.")
            .define(ON_NULL, Type.STRING, "fail", ValidString.in("fail", "ignore"), Importance.LOW,
                    "What to do with a record without a value. With `fail` it goes to the dead letters, if there are any "
                    + "(errors.tolerance=all), else the task fails.");

    S3SinkConfig(Map<String, String> properties) {
        super(DEFINITION, properties);
    }

    Format format() {
        return Format.of(getString(FORMAT));
    }

    boolean nullsFail() {
        return getString(ON_NULL).equals("fail");
    }

    /** With a slash at its end, unless it is the bucket itself. */
    String folder() {
        String told = getString(TOPICS_DIR).replaceAll("^/+|/+$", "");
        return told.isEmpty() ? "" : told + "/";
    }

    private static void checkUrl(String name, Object value) {
        String url = (String) value;
        if (!url.isEmpty() && !url.matches("https?://[^/]+.*")) {
            throw new ConfigException(name, url, "begins with http:// or https://");
        }
    }
}
