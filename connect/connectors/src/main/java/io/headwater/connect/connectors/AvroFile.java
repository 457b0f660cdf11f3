package io.headwater.connect.connectors;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.connect.sink.SinkRecord;

/** An Avro object container file, built in memory. */
final class AvroFile implements Format.Writer {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final AvroTranslator translator;
    private final DataFileWriter<GenericRecord> out;

    AvroFile(AvroTranslator translator, String codec) throws IOException {
        this.translator = translator;
        out = new DataFileWriter<>(new GenericDatumWriter<>(translator.schema()));
        out.setCodec(CodecFactory.fromString(codec));
        out.create(translator.schema(), bytes);
    }

    @Override
    public boolean accepts(SinkRecord record) {
        return translator.accepts(record);
    }

    @Override
    public void write(SinkRecord record) throws IOException {
        out.append(translator.convert(record));
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
