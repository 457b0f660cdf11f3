package io.headwater.connect.connectors;

import java.io.IOException;
import java.util.Locale;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.sink.SinkRecord;

/** The file format of objects. */
enum Format {
    JSON {
        @Override
        Writer open(S3SinkConfig config, SinkRecord first) throws IOException {
            return new JsonLines(config.getString(S3SinkConfig.COMPRESSION).equals("gzip"));
        }

        @Override
        String extension(S3SinkConfig config) {
            return config.getString(S3SinkConfig.COMPRESSION).equals("gzip") ? ".json.gz" : ".json";
        }
    },
    AVRO {
        @Override
        Writer open(S3SinkConfig config, SinkRecord first) throws IOException {
            return new AvroFile(AvroTranslator.of(first), config.getString(S3SinkConfig.AVRO_CODEC));
        }
    },
    PARQUET {
        @Override
        Writer open(S3SinkConfig config, SinkRecord first) throws IOException {
            return new ParquetFile(AvroTranslator.of(first), config.getString(S3SinkConfig.PARQUET_CODEC));
        }
    };

    static final String NAMES = "json, avro, parquet";

    /** An object that is being written. */
    interface Writer {
        /** Whether this record fits into the same object. */
        boolean accepts(SinkRecord record);

        void write(SinkRecord record) throws IOException;

        /** Approximate size in bytes. */
        long size();

        /** Returns the whole object. */
        byte[] finish() throws IOException;
    }

    abstract Writer open(S3SinkConfig config, SinkRecord first) throws IOException;

    String extension(S3SinkConfig config) {
        return "." + name().toLowerCase(Locale.ROOT);
    }

    /** By its short name, or by Confluent's class name such as io.confluent.connect.s3.format.json.JsonFormat. */
    static Format of(String nameOrClass) {
        String name = nameOrClass.substring(nameOrClass.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT).replaceAll("format$", "");
        for (Format format : values()) {
            if (format.name().toLowerCase(Locale.ROOT).equals(name)) {
                return format;
            }
        }
        throw new ConfigException(S3SinkConfig.FORMAT, nameOrClass, "available: " + NAMES);
    }
}
