package io.headwater.connect.connectors;

import java.util.Collection;
import java.util.List;

/** Stores objects by key. Throws RetriableException if a retry may succeed, else ConnectException. */
public interface ObjectStore extends AutoCloseable {
    void put(String key, byte[] content);

    /** The first thousand keys, in order, that start with `prefix` and come after `after`. */
    List<String> list(String prefix, String after);

    void delete(Collection<String> keys);

    @Override
    void close();
}
