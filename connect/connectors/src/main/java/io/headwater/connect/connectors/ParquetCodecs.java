package io.headwater.connect.connectors;

import com.github.luben.zstd.ZstdOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.GZIPOutputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.xerial.snappy.Snappy;

/** Compresses Parquet pages with libraries that every worker has. Parquet's own codecs need Hadoop. */
final class ParquetCodecs implements CompressionCodecFactory {
    static CompressionCodecName of(String name) {
        return switch (name) {
            case "none" -> CompressionCodecName.UNCOMPRESSED;
            case "gzip" -> CompressionCodecName.GZIP;
            case "snappy" -> CompressionCodecName.SNAPPY;
            case "zstd" -> CompressionCodecName.ZSTD;
            default -> throw new IllegalArgumentException(name);
        };
    }

    @Override
    public BytesInputCompressor getCompressor(CompressionCodecName name) {
        return new BytesInputCompressor() {
            @Override
            public BytesInput compress(BytesInput page) throws IOException {
                return switch (name) {
                    case UNCOMPRESSED -> page;
                    case GZIP -> compressStream(page, GZIPOutputStream::new);
                    case SNAPPY -> compressSnappy(page);
                    case ZSTD -> compressStream(page, ZstdOutputStream::new);
                    default -> throw new IllegalArgumentException(name.toString());
                };
            }

            @Override
            public CompressionCodecName getCodecName() {
                return name;
            }

            @Override
            public void release() {}
        };
    }

    private interface StreamFactory {
        OutputStream wrap(OutputStream out) throws IOException;
    }

    /** A page is one Snappy block, not a Snappy stream. */
    private static BytesInput compressSnappy(BytesInput page) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        page.writeAllTo(bytes);
        return BytesInput.from(Snappy.compress(bytes.toByteArray()));
    }

    private static BytesInput compressStream(BytesInput page, StreamFactory streams) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = streams.wrap(bytes)) {
            page.writeAllTo(out);
        }
        return BytesInput.from(bytes);
    }

    @Override
    public BytesInputDecompressor getDecompressor(CompressionCodecName name) {
        throw new UnsupportedOperationException("only writes");
    }

    @Override
    public void release() {}
}
