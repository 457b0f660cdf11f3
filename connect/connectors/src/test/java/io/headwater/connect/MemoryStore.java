package io.headwater.connect;

import io.headwater.connect.connectors.ObjectStore;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import org.apache.kafka.connect.errors.RetriableException;

/** An object store that can be made unavailable. */
final class MemoryStore implements ObjectStore {
    final TreeMap<String, byte[]> objects = new TreeMap<>();
    boolean unavailable;

    @Override
    public void put(String key, byte[] content) {
        checkAvailable();
        objects.put(key, content);
    }

    @Override
    public List<String> list(String prefix, String after) {
        checkAvailable();
        return objects.tailMap(after, false).keySet().stream().filter(key -> key.startsWith(prefix)).limit(1000).toList();
    }

    @Override
    public void delete(Collection<String> keys) {
        checkAvailable();
        keys.forEach(objects::remove);
    }

    private void checkAvailable() {
        if (unavailable) {
            throw new RetriableException("unavailable");
        }
    }

    @Override
    public void close() {}
}
