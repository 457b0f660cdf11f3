package io.headwater.connect.connectors;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.parquet.avro.AvroParquetWriter;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;

/** A Parquet file, built in memory and without Hadoop. */
final class ParquetFile implements Format.Writer {
    private final MemoryFile file = new MemoryFile();
    private final AvroTranslator translator;
    private final ParquetWriter<GenericRecord> out;

    ParquetFile(AvroTranslator translator, String codec) throws IOException {
        this.translator = translator;
        out = AvroParquetWriter.<GenericRecord>builder(file)
                .withConf(new PlainParquetConfiguration())
                .withDataModel(GenericData.get())
                .withSchema(translator.schema())
                .withCodecFactory(new ParquetCodecs())
                .withCompressionCodec(ParquetCodecs.of(codec))
                .build();
    }

    @Override
    public boolean accepts(SinkRecord record) {
        return translator.accepts(record);
    }

    @Override
    public void write(SinkRecord record) throws IOException {
        out.write(translator.convert(record));
    }

    @Override
    public long size() {
        return out.getDataSize();
    }

    @Override
    public byte[] finish() throws IOException {
        out.close();
        return file.bytes.toByteArray();
    }

    private static final class MemoryFile implements OutputFile {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public PositionOutputStream create(long blockSize) {
            return new PositionOutputStream() {
                @Override
                public long getPos() {
                    return bytes.size();
                }

                @Override
                public void write(int value) {
                    bytes.write(value);
                }

                @Override
                public void write(byte[] buffer, int offset, int length) {
                    bytes.write(buffer, offset, length);
                }
            };
        }

        @Override
        public PositionOutputStream createOrOverwrite(long blockSize) {
            return create(blockSize);
        }

        @Override
        public boolean supportsBlockSize() {
            return false;
        }

        @Override
        public long defaultBlockSize() {
            return 0;
        }
    }
}
