package io.headwater.connect;

import java.io.IOException;
import java.util.Locale;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.sink.SinkRecord;

/** How objects are written. */
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
            return new AvroFile(AvroRecords.of(first), config.getString(S3SinkConfig.AVRO_CODEC));
        }
    },
    PARQUET {
        @Override
        Writer open(S3SinkConfig config, SinkRecord first) throws IOException {
            return new ParquetFile(AvroRecords.of(first), config.getString(S3SinkConfig.PARQUET_CODEC));
        }
    };

    static final String NAMES = "json, avro, parquet";

    /** An object that is being written. */
    interface Writer {
        /** Whether this record can go into the same object. */
        boolean takes(SinkRecord record);

        void write(SinkRecord record) throws IOException;

        /** About how much memory it takes. */
        long size();

        /** All of it. */
        byte[] finish() throws IOException;
    }

    abstract Writer open(S3SinkConfig config, SinkRecord first) throws IOException;

    String extension(S3SinkConfig config) {
        return "." + name().toLowerCase(Locale.ROOT);
    }

    /** By its short name or by a class, such as io.confluent.connect.s3.format.json.JsonFormat. */
    static Format of(String told) {
        String name = told.substring(told.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT).replaceAll("format$", "");
        for (Format format : values()) {
            if (format.name().toLowerCase(Locale.ROOT).equals(name)) {
                return format;
            }
        }
        throw new ConfigException(S3SinkConfig.FORMAT, told, "there are " + NAMES);
    }
}
