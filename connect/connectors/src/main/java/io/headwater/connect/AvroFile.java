package io.headwater.connect;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.connect.sink.SinkRecord;

/** Avro's file format, with the schema in front. */
final class AvroFile implements Format.Writer {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final AvroRecords records;
    private final DataFileWriter<GenericRecord> out;

    AvroFile(AvroRecords records, String codec) throws IOException {
        this.records = records;
        out = new DataFileWriter<>(new GenericDatumWriter<>(records.schema()));
        out.setCodec(CodecFactory.fromString(codec));
        out.create(records.schema(), bytes);
    }

    @Override
    public boolean takes(SinkRecord record) {
        return records.takes(record);
    }

    @Override
    public void write(SinkRecord record) throws IOException {
        out.append(records.convert(record));
    }

    @Override
    public long size() {
        return bytes.size();
    }

    @Override
    public byte[] finish() throws IOException {
        out.close();
        return bytes.toByteArray();
    }
}
