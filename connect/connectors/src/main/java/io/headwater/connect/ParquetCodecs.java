package io.headwater.connect;

import com.github.luben.zstd.ZstdOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.GZIPOutputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.xerial.snappy.Snappy;

/** Packs Parquet's pages with what every worker has. Parquet's own way would need Hadoop. */
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
                    case GZIP -> packed(page, GZIPOutputStream::new);
                    case SNAPPY -> snappy(page);
                    case ZSTD -> packed(page, ZstdOutputStream::new);
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

    private interface Packing {
        OutputStream around(OutputStream out) throws IOException;
    }

    /** A page is one block; Snappy's own stream format is another one. */
    private static BytesInput snappy(BytesInput page) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        page.writeAllTo(bytes);
        return BytesInput.from(Snappy.compress(bytes.toByteArray()));
    }

    private static BytesInput packed(BytesInput page, Packing packing) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = packing.around(bytes)) {
            page.writeAllTo(out);
        }
        return BytesInput.from(bytes);
    }

    @Override
    public BytesInputDecompressor getDecompressor(CompressionCodecName name) {
        throw new UnsupportedOperationException("nothing is read here");
    }

    @Override
    public void release() {}
}
