package io.headwater.connect.connectors;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.apache.kafka.connect.json.JsonConverter;
import org.apache.kafka.connect.sink.SinkRecord;

/** One line of JSON per record. Records need no schema. */
final class JsonLines implements Format.Writer {
    private final JsonConverter converter = new JsonConverter();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final OutputStream out;

    JsonLines(boolean gzip) throws IOException {
        // Connect writes decimals as base 64 by default, which readers of files cannot use.
        converter.configure(Map.of("schemas.enable", "false", "decimal.format", "NUMERIC"), false);
        out = gzip ? new GZIPOutputStream(bytes) : bytes;
    }

    @Override
    public boolean accepts(SinkRecord record) {
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
