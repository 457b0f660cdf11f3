package io.headwater.connect;

import java.util.Collection;
import java.util.List;

/** Where objects go. What may work in a moment throws RetriableException, what cannot ConnectException. */
interface ObjectStore extends AutoCloseable {
    void put(String key, byte[] content);

    /** Keys that begin with `prefix` and come after `after`, in their order; the first thousand at most. */
    List<String> list(String prefix, String after);

    void delete(Collection<String> keys);

    @Override
    void close();
}
