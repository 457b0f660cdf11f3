package io.headwater.connect;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/** The id of the run that follows on another one: the same for every task, worker and the watcher (docs/connect.md). */
final class RunIds {
    private static final UUID OID = UUID.fromString("6ba7b812-9dad-11d1-80b4-00c04fd430c8");

    private RunIds() {}

    /** {@code before} is the latest run, or null if there is none. */
    static UUID after(String namespace, String name, String before) {
        String text = namespace + "/" + name + "/" + (before == null ? "first" : before);
        ByteBuffer space = ByteBuffer.allocate(16).putLong(OID.getMostSignificantBits()).putLong(OID.getLeastSignificantBits());
        MessageDigest sha1;
        try {
            sha1 = MessageDigest.getInstance("SHA-1");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
        sha1.update(space.array());
        ByteBuffer hash = ByteBuffer.wrap(sha1.digest(text.getBytes(StandardCharsets.UTF_8)));
        long most = hash.getLong() & 0xffff_ffff_ffff_0fffL | 0x5000L;
        long least = hash.getLong() & 0x3fff_ffff_ffff_ffffL | 0x8000_0000_0000_0000L;
        return new UUID(most, least);
    }
}
