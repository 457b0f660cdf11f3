package io.headwater.connect.lineage;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/** Ids of new runs: every task, every worker and the watcher work out the same one (docs/connect.md). */
final class RunIds {
    private static final UUID OID_NAMESPACE = UUID.fromString("6ba7b812-9dad-11d1-80b4-00c04fd430c8");

    private RunIds() {}

    /** A UUIDv5. {@code latest} is the id of the job's latest run, or null if there is none. */
    static UUID next(String namespace, String job, String latest) {
        String name = namespace + "/" + job + "/" + (latest == null ? "first" : latest);
        ByteBuffer uuidNamespace = ByteBuffer.allocate(16)
                .putLong(OID_NAMESPACE.getMostSignificantBits()).putLong(OID_NAMESPACE.getLeastSignificantBits());
        MessageDigest sha1;
        try {
            sha1 = MessageDigest.getInstance("SHA-1");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
        sha1.update(uuidNamespace.array());
        ByteBuffer hash = ByteBuffer.wrap(sha1.digest(name.getBytes(StandardCharsets.UTF_8)));
        long high = hash.getLong() & 0xffff_ffff_ffff_0fffL | 0x5000L;
        long low = hash.getLong() & 0x3fff_ffff_ffff_ffffL | 0x8000_0000_0000_0000L;
        return new UUID(high, low);
    }
}
