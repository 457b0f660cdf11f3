"""Sinks: topics in, and whatever the connector makes of them out."""

from collections.abc import Iterable, Mapping

from headwater.emit.naming import Dataset
from headwater.watch.connect import columns as cols
from headwater.watch.connect import debezium, java, places, tables, templates
from headwater.watch.connect.chain import Notes, Record
from headwater.watch.connect.columns import From
from headwater.watch.connect.found import Lineage, Search, World
from headwater.watch.connect.mapping import Columns, Connector
from headwater.watch.connect.templates import Missing
from headwater.watch.connect.values import AS_IS, Constant, Origin, Part, Struct, Value, Whole


def find(search: Search, connector: Connector | None) -> None:
    config, world, found, notes = search.config, search.world, search.found, search.notes
    kafka = search.kafka("consumer")
    found.group = config.get("consumer.override.group.id") or f"connect-{search.name}"
    scope = places.scope_of(connector, config) if connector is not None else dict(config)
    for topic in subscribed(config, world, notes):
        source = found.topic(kafka, topic)
        found.read(source, world.columns(topic) or ())
        if connector is None:
            continue
        key, value = (Part(Origin(part), world.schemas(topic, part)) for part in ("key", "value"))
        for record in search.run(Record(topic, key, value)):
            _written(connector, scope, source, record, found, notes)
    if dead := config.get("errors.deadletterqueue.topic.name"):
        _dead_letters(kafka, dead, found)


def _dead_letters(kafka: str, topic: str, found: Lineage) -> None:
    """Whatever could not be handled goes there as it came."""
    target = found.written(found.topic(kafka, topic))
    for source, schema in found.inputs.items():
        found.pairs.add((source, target.dataset))
        target.add(schema, {f.name: [From(source, f.name, AS_IS)] for f in schema})


def subscribed(config: Mapping[str, str], world: World, notes: Notes) -> list[str]:
    """The topics that a sink reads: listed, or all that fit its expression."""
    topics = [topic.strip() for topic in config.get("topics", "").split(",") if topic.strip()]
    text = config.get("topics.regex", "")
    if text:
        regex = java.pattern(text)
        if regex is None:
            notes.add(f"topics.regex is not understood: {text}")
        elif world.all_topics is None and not world.seen:
            notes.add(f"which topics fit {text} is not known: say where Kafka is with --kafka")
        else:
            every = (world.all_topics or frozenset()) | world.seen
            topics += sorted(topic for topic in every if regex.fullmatch(topic) and not topic.startswith("__"))
    elif not topics:
        topics = sorted(world.seen)
    return list(dict.fromkeys(topics))


def _written(
    connector: Connector, scope: Mapping[str, str], source: Dataset, record: Record, found: Lineage, notes: Notes
) -> None:
    topic = record.topic
    if topic is None:
        return  # a note says why
    inner = {**scope, "topic": topic}
    for table, value, rows in _tables(connector, inner, record, notes):
        try:
            target = places.dataset(connector, places.with_table(connector, inner, table))
        except Missing as e:
            notes.add(str(e))
            continue
        if target is None:
            continue
        output = found.written(target)
        found.pairs.add((source, target))
        made = _columns(connector, inner, record, value)
        columns = {
            name: cols.came_from(below.origins(), source, cols.of_topic)
            for name, below, _ in cols.named(made)
            if below is not None
        }
        deciding = [origin for row in rows for origin in cols.came_from(row.origins(), source, cols.of_topic)]
        output.add(cols.schema_of(made), columns, deciding)


def _tables(
    connector: Connector, scope: Mapping[str, str], record: Record, notes: Notes
) -> Iterable[tuple[str, Value, list[Value]]]:
    """Each table that the record may go to, what of the record goes there, and what decides about it."""
    topic = scope["topic"]
    if connector.kcql:
        statements = tables.kcql(scope.get(connector.kcql, ""))
        if not statements:
            notes.add(f"the option {connector.kcql} has no statement that is understood")
        for statement in statements:
            if statement.of in (topic, "*"):
                yield statement.into, tables.selected(statement.what, record.key, record.value), []
        return
    listed = [t for option in connector.tables for t in java.listed(scope.get(option, ""))]
    if connector.tables:
        field = scope.get(connector.route_field, "") if connector.route_field else ""
        if field:
            yield from _by_field(connector, scope, record, field, listed, notes)
        else:
            if not listed:
                notes.add(f"the option {connector.tables[0]} is not set")
            yield from ((table, record.value, []) for table in listed)
        return
    for option in connector.map:
        table = tables.mapped(tables.pairs(scope.get(option, "")), topic)
        if table is not None:
            yield table, record.value, []
            return
    try:
        yield templates.fill(connector.table, scope), record.value, []
    except Missing as e:
        notes.add(str(e))


def _by_field(
    connector: Connector, scope: Mapping[str, str], record: Record, field: str, listed: list[str], notes: Notes
) -> Iterable[tuple[str, Value, list[Value]]]:
    decides = record.value.at(field.split("."))
    constant = decides.constant if decides is not None else None
    rows = [decides] if decides is not None else []
    if not listed:
        if constant is not None:
            yield constant.lower(), record.value, []
        else:
            notes.add(f"the table is what is in the field {field} of each record")
    for table in listed:
        regex = java.pattern(scope.get(connector.route_regex.replace("<table>", table), "") or table)
        if constant is None or (regex is not None and regex.fullmatch(constant)):
            yield table, record.value, [] if constant is not None else rows


def _columns(connector: Connector, scope: Mapping[str, str], record: Record, value: Value) -> Value:
    """The row that a record becomes."""
    rule = next((rule for rule in connector.columns if rule.fits(scope)), Columns())
    if rule.unwrap:
        value = debezium.unwrapped(value)
    kept = java.listed(scope.get(rule.keep, "")) if rule.keep else []
    if kept:
        value = cols.only(value, kept)
    fields: dict[str, Value] = {}
    if rule.key:
        wanted = java.listed(scope.get(rule.keys, "")) if rule.keys else []
        names = record.key.names()
        if names == () or (names is None and len(wanted) == 1 and isinstance(record.key, Part)):
            fields |= dict.fromkeys(wanted, record.key)  # a plain key becomes that column
        else:
            fields |= {n: v for n in wanted or names or () if (v := record.key.get(n)) is not None}
    if rule.whole:
        fields[rule.whole] = Whole(value)
    elif value.names() == ():
        fields["value"] = value
    else:
        if value.names() is None and not fields:
            return value
        fields |= {name: below for name in value.names() or () if (below := value.get(name)) is not None}
    return Struct(fields | {name: Constant() for name in rule.more})
