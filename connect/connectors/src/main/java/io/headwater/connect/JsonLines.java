package io.headwater.connect;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.apache.kafka.connect.json.JsonConverter;
import org.apache.kafka.connect.sink.SinkRecord;

/** A line of JSON for each record. Records need no schema. */
final class JsonLines implements Format.Writer {
    private final JsonConverter converter = new JsonConverter();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final OutputStream out;

    JsonLines(boolean packed) throws IOException {
        // Numbers are numbers: Connect's default, base 64 of two's complement, is of use to nobody who reads files.
        converter.configure(Map.of("schemas.enable", "false", "decimal.format", "NUMERIC"), false);
        out = packed ? new GZIPOutputStream(bytes) : bytes;
    }

    @Override
    public boolean takes(SinkRecord record) {
        return true;
    }

    @Override
    public void write(SinkRecord record) throws IOException {
        byte[] line = converter.fromConnectData(record.topic(), record.valueSchema(), record.value());
        out.write(line);
        out.write('\n');
    }

    @Override
    public long size() {
        return bytes.size();
    }

    @Override
    public byte[] finish() throws IOException {
        out.close();
        converter.close();
        return bytes.toByteArray();
    }
}
