package io.headwater.connect;

import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import org.apache.kafka.connect.errors.RetriableException;

/** A store that can be away. */
final class MemoryStore implements ObjectStore {
    final TreeMap<String, byte[]> objects = new TreeMap<>();
    boolean away;

    @Override
    public void put(String key, byte[] content) {
        answer();
        objects.put(key, content);
    }

    @Override
    public List<String> list(String prefix, String after) {
        answer();
        return objects.tailMap(after, false).keySet().stream().filter(key -> key.startsWith(prefix)).limit(1000).toList();
    }

    @Override
    public void delete(Collection<String> keys) {
        answer();
        keys.forEach(objects::remove);
    }

    private void answer() {
        if (away) {
            throw new RetriableException("away");
        }
    }

    @Override
    public void close() {}
}
