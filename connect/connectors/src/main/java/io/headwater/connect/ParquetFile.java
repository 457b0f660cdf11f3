package io.headwater.connect;

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

/** Parquet, made in memory and without Hadoop. */
final class ParquetFile implements Format.Writer {
    private final Memory memory = new Memory();
    private final AvroRecords records;
    private final ParquetWriter<GenericRecord> out;

    ParquetFile(AvroRecords records, String codec) throws IOException {
        this.records = records;
        out = AvroParquetWriter.<GenericRecord>builder(memory)
                .withConf(new PlainParquetConfiguration())
                .withDataModel(GenericData.get())
                .withSchema(records.schema())
                .withCodecFactory(new ParquetCodecs())
                .withCompressionCodec(ParquetCodecs.of(codec))
                .build();
    }

    @Override
    public boolean takes(SinkRecord record) {
        return records.takes(record);
    }

    @Override
    public void write(SinkRecord record) throws IOException {
        out.write(records.convert(record));
    }

    @Override
    public long size() {
        return out.getDataSize();
    }

    @Override
    public byte[] finish() throws IOException {
        out.close();
        return memory.bytes.toByteArray();
    }

    private static final class Memory implements OutputFile {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public PositionOutputStream create(long block) {
            return new PositionOutputStream() {
                @Override
                public long getPos() {
                    return bytes.size();
                }

                @Override
                public void write(int one) {
                    bytes.write(one);
                }

                @Override
                public void write(byte[] some, int from, int count) {
                    bytes.write(some, from, count);
                }
            };
        }

        @Override
        public PositionOutputStream createOrOverwrite(long block) {
            return create(block);
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
