package io.headwater.connect;

import io.headwater.connect.Incarnation.Picture;
import io.openlineage.client.OpenLineage.RunEvent.EventType;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** Tells the runs of connectors: which run it is, that it began, goes on and ended. Only one thread uses it. */
final class Teller {
    /** Milliseconds until what is not settled yet is looked at again. */
    static final long MOMENT = 50;

    /** The tasks of a connector begin within this time; then it is known which of them this worker has. */
    private static final long SETTLE = 500;

    /** News are told at once, but not more often than this. */
    private static final long BREATH = 1_000;

    /** So long a run that somebody else ended may stay so before a new one begins: perhaps our tasks end, too. */
    private static final long DOUBT = 5_000;

    private final Headwater headwater;
    private final Events events = new Events();
    private final Endings endings = new Endings();
    private final Map<String, Registry> registries = new HashMap<>();

    Teller(Headwater headwater) {
        this.headwater = headwater;
    }

    /** Finds out how incarnations ended while the worker still knows. Needs no Headwater. */
    void look(Connector connector, boolean workerEnds) {
        for (Incarnation incarnation : connector.all()) {
            if (incarnation.ended() != null && incarnation.told.outcome == null) {
                boolean last = connector.isLast(incarnation);
                incarnation.told.outcome = endings.of(connector.name, incarnation, last, workerEnds);
            }
        }
    }

    /** Whether it is to be called again in a moment. */
    boolean tell(Connector connector) throws IOException {
        Incarnation next;
        while ((next = connector.first()) != null) {
            boolean ended = next.ended() != null;
            if (ended && next.told.outcome == null) {
                return true;
            }
            if (next.told.run == null) {
                if (!ended && Instant.now().isBefore(next.began.plusMillis(SETTLE))) {
                    return true;
                }
                begin(connector.name, next, next.began);
            }
            if (!ended) {
                return goOn(connector.name, next);
            }
            end(connector.name, next);
            connector.done(next);
        }
        return false;
    }

    private void begin(String name, Incarnation incarnation, Instant time) throws IOException {
        String namespace = incarnation.config.namespace();
        Headwater.Latest latest = headwater.latest(namespace, name);
        EventType type = EventType.START;
        UUID run = RunIds.after(namespace, name, latest == null ? null : latest.id());
        UUID known = latest == null || !latest.goesOn() ? null : uuid(latest.id());
        if (known != null && Workers.areGone(headwater.facets(latest.id()), incarnation.picture().tasks())) {
            String why = "its worker ended without a word";
            headwater.tell(events.event(EventType.ABORT, time, namespace, name, known,
                    events.runFacets("", Map.of("headwater_end", Map.of("reason", why)), null), Lineage.NONE,
                    new Events.Moved(Map.of(), Map.of()), false));
        } else if (known != null) {
            run = known;
            type = EventType.RUNNING; // somebody began it already
        }
        tell(type, time, name, incarnation, run, null, true);
        incarnation.told.run = run;
    }

    private boolean goOn(String name, Incarnation incarnation) throws IOException {
        Told told = incarnation.told;
        long since = (System.nanoTime() - told.at) / 1_000_000;
        Picture picture = incarnation.picture();
        boolean news = !shown(picture).equals(told.shown);
        boolean due = since >= incarnation.config.intervalMillis();
        boolean doubtful = told.lostSince != 0;
        if (!due && !(news && since >= BREATH) && !doubtful) {
            return news;
        }
        Headwater.Latest latest = headwater.latest(incarnation.config.namespace(), name);
        UUID known = latest == null || !latest.goesOn() ? null : uuid(latest.id());
        if (known != null) {
            boolean other = !known.equals(told.run);
            told.run = known;
            told.lostSince = 0;
            if (news || due || other) {
                tell(EventType.RUNNING, Instant.now(), name, incarnation, told.run, null, other);
            }
            return false;
        }
        if (!doubtful) {
            told.lostSince = System.nanoTime();
        } else if (System.nanoTime() - told.lostSince >= DOUBT * 1_000_000) {
            told.lostSince = 0;
            begin(name, incarnation, Instant.now());
        }
        return false;
    }

    private void end(String name, Incarnation incarnation) throws IOException {
        Told told = incarnation.told;
        List<Integer> ours = incarnation.picture().tasks();
        if (Workers.othersGoOn(headwater.facets(told.run.toString()), ours)) {
            // They have to know that we are gone before we ask again: of two that end at once, one must end the run.
            tell(EventType.RUNNING, incarnation.ended(), name, incarnation, told.run, null, false);
            if (Workers.othersGoOn(headwater.facets(told.run.toString()), ours)) {
                return;
            }
        }
        EventType type = told.outcome.failed() ? EventType.FAIL : EventType.ABORT;
        tell(type, incarnation.ended(), name, incarnation, told.run, told.outcome, false);
    }

    /** {@code whole}: with schemas and columns even if they were told before, as they were told of another run. */
    private void tell(EventType type, Instant time, String name, Incarnation incarnation, UUID run, Outcome outcome,
            boolean whole) throws IOException {
        Told told = incarnation.told;
        LineageConfig config = incarnation.config;
        Picture picture = incarnation.picture();
        TaskFlows.Side side = picture.side() != null ? picture.side() : WorkerMetrics.side(name);
        Map<String, Long> bytes = side == null ? Map.of() : WorkerMetrics.bytes(name, side);
        Map<String, Map<String, Object>> ours = new LinkedHashMap<>();
        ours.put(Workers.FACET + Workers.ME, Workers.facet(config, picture, WorkerMetrics.states(name)));
        if (outcome != null) {
            ours.put("headwater_end", Map.of("reason", outcome.why()));
        }
        Lineage lineage = Lineage.of(config, side, columns(config, picture));
        headwater.tell(events.event(type, time, config.namespace(), name, run,
                events.runFacets(WorkerMetrics.version(), ours, outcome), lineage, moved(picture, told, bytes),
                whole || !lineage.equals(told.lineage)));
        told.at = System.nanoTime();
        told.lineage = lineage;
        told.shown = shown(picture);
        picture.topics().forEach((topic, seen) -> told.records.put(topic, seen.records()));
        told.bytes.putAll(bytes);
    }

    /** Null for an id that the client cannot send: no run of ours. */
    private static UUID uuid(String id) {
        try {
            return UUID.fromString(id);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** What is worth an event of its own when it changes. */
    private static Object shown(Picture picture) {
        Map<String, Object> schemas = new HashMap<>();
        picture.topics().forEach((topic, seen) -> schemas.put(topic, seen.schemas()));
        return List.of(schemas, picture.open());
    }

    /** Bytes are left out where the worker does not say, or where its clients began anew. */
    private static Events.Moved moved(Picture picture, Told told, Map<String, Long> bytes) {
        Map<String, Long> records = new HashMap<>();
        picture.topics().forEach((t, seen) -> records.put(t, seen.records() - told.records.getOrDefault(t, 0L)));
        Map<String, Long> grown = new HashMap<>();
        bytes.forEach((topic, total) -> {
            long more = total - told.bytes.getOrDefault(topic, 0L);
            if (more >= 0) {
                grown.put(topic, more);
            }
        });
        return new Events.Moved(records, grown);
    }

    /** The registry's schemas count before those of records: a transform before this one may have changed these. */
    private Map<String, List<Column>> columns(LineageConfig config, Picture picture) {
        Registry registry = config.registry().isEmpty()
                ? null
                : registries.computeIfAbsent(config.registry() + " " + config.registryUser(), k -> new Registry(config));
        Map<String, List<Column>> found = new TreeMap<>();
        config.topics().forEach(topic -> found.put(topic, columns(registry, topic, null)));
        picture.topics().forEach((topic, seen) -> found.put(topic, columns(registry, topic, seen.schemas())));
        return found;
    }

    private static List<Column> columns(Registry registry, String topic, TopicFlow.Schemas seen) {
        Column value = registry == null ? null : registry.schema(topic, "value");
        Column key = registry == null ? null : registry.schema(topic, "key");
        if (value == null && seen != null) {
            value = Column.of("", seen.value());
            Column keyOfRecord = Column.of("", seen.key());
            // A key without fields is mostly text that nobody registered; the watcher does not see it either.
            key = key == null && keyOfRecord != null && keyOfRecord.type().equals("struct") ? keyOfRecord : key;
        }
        return Column.ofTopic(key, value);
    }
}
