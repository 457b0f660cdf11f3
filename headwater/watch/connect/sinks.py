"""Lineage of sinks: from topics to tables, files and indexes."""

from collections.abc import Iterable, Mapping

from headwater.emit.naming import Dataset
from headwater.watch.connect import columns as cols
from headwater.watch.connect import dataset_names, debezium, java, table_options, templates
from headwater.watch.connect.chain import Notes, Record
from headwater.watch.connect.columns import InputField
from headwater.watch.connect.extraction import Extraction, TopicCatalog
from headwater.watch.connect.lineage import Lineage
from headwater.watch.connect.mapping import Columns, Connector
from headwater.watch.connect.templates import Missing
from headwater.watch.connect.values import AS_IS, Constant, Origin, Part, Struct, Value, Whole


def extract(extraction: Extraction, connector: Connector | None) -> None:
    config, catalog, lineage, notes = extraction.config, extraction.catalog, extraction.lineage, extraction.notes
    kafka = extraction.kafka("consumer")
    lineage.group = config.get("consumer.override.group.id") or f"connect-{extraction.name}"
    scope = dataset_names.scope_of(connector, config) if connector is not None else dict(config)
    for topic in subscribed(config, catalog, notes):
        source = lineage.topic(kafka, topic)
        lineage.add_input(source, catalog.columns(topic) or ())
        if connector is None:
            continue
        key, value = (Part(Origin(part), catalog.schemas(topic, part)) for part in ("key", "value"))
        for record in extraction.run(Record(topic, key, value)):
            _add_outputs(connector, scope, source, record, lineage, notes)
    if dead := config.get("errors.deadletterqueue.topic.name"):
        _dead_letters(kafka, dead, lineage)


def _dead_letters(kafka: str, topic: str, lineage: Lineage) -> None:
    """Records that could not be handled go there unchanged."""
    target = lineage.output(lineage.topic(kafka, topic))
    for source, schema in lineage.inputs.items():
        lineage.pairs.add((source, target.dataset))
        target.add(schema, {f.name: [InputField(source, f.name, AS_IS)] for f in schema})


def subscribed(config: Mapping[str, str], catalog: TopicCatalog, notes: Notes) -> list[str]:
    """The topics that a sink reads: those listed, or all that match its expression."""
    topics = [topic.strip() for topic in config.get("topics", "").split(",") if topic.strip()]
    text = config.get("topics.regex", "")
    if text:
        regex = java.pattern(text)
        if regex is None:
            notes.add(f"topics.regex is not understood: {text}")
        elif catalog.all_topics is None and not catalog.used:
            notes.add(f"the topics that match {text} are not known: name a broker with --kafka")
        else:
            every = (catalog.all_topics or frozenset()) | catalog.used
            topics += sorted(topic for topic in every if regex.fullmatch(topic) and not topic.startswith("__"))
    elif not topics:
        topics = sorted(catalog.used)
    return list(dict.fromkeys(topics))


def _add_outputs(
    connector: Connector, scope: Mapping[str, str], source: Dataset, record: Record, lineage: Lineage, notes: Notes
) -> None:
    topic = record.topic
    if topic is None:
        return  # a note says why
    inner = {**scope, "topic": topic}
    for table, value, rows in _tables(connector, inner, record, notes):
        try:
            target = dataset_names.dataset(connector, dataset_names.with_table(connector, inner, table))
        except Missing as e:
            notes.add(str(e))
            continue
        if target is None:
            continue
        output = lineage.output(target)
        lineage.pairs.add((source, target))
        row = _row(connector, inner, record, value)
        columns = {
            name: cols.came_from(below.origins(), source, cols.of_topic)
            for name, below, _ in cols.named(row)
            if below is not None
        }
        deciding = [origin for by in rows for origin in cols.came_from(by.origins(), source, cols.of_topic)]
        output.add(cols.schema_of(row), columns, deciding)


def _tables(
    connector: Connector, scope: Mapping[str, str], record: Record, notes: Notes
) -> Iterable[tuple[str, Value, list[Value]]]:
    """Each table that the record may go to, what of the record goes there, and which values decide about it."""
    topic = scope["topic"]
    if connector.kcql:
        statements = table_options.kcql(scope.get(connector.kcql, ""))
        if not statements:
            notes.add(f"no statement of the option {connector.kcql} is understood")
        for statement in statements:
            if statement.of in (topic, "*"):
                yield statement.into, table_options.selected(statement.what, record.key, record.value), []
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
        table = table_options.mapped(table_options.pairs(scope.get(option, "")), topic)
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
            notes.add(f"the field {field} of each record names the table")
    for table in listed:
        regex = java.pattern(scope.get(connector.route_regex.replace("<table>", table), "") or table)
        if constant is None or (regex is not None and regex.fullmatch(constant)):
            yield table, record.value, [] if constant is not None else rows


def _row(connector: Connector, scope: Mapping[str, str], record: Record, value: Value) -> Value:
    """The row that a record becomes."""
    rule = next((rule for rule in connector.columns if rule.fits(scope)), Columns())
    if rule.unwrap:
        value = debezium.unwrapped(value)
    names_to_keep = java.listed(scope.get(rule.keep, "")) if rule.keep else []
    if names_to_keep:
        value = cols.only(value, names_to_keep)
    fields: dict[str, Value] = {}
    if rule.key:
        key_columns = java.listed(scope.get(rule.keys, "")) if rule.keys else []
        names = record.key.names()
        if names == () or (names is None and len(key_columns) == 1 and isinstance(record.key, Part)):
            fields |= dict.fromkeys(key_columns, record.key)  # a plain key becomes that column
        else:
            fields |= {n: v for n in key_columns or names or () if (v := record.key.get(n)) is not None}
    if rule.whole:
        fields[rule.whole] = Whole(value)
    elif value.names() == ():
        fields["value"] = value
    else:
        if value.names() is None and not fields:
            return value
        fields |= {name: below for name in value.names() or () if (below := value.get(name)) is not None}
    return Struct(fields | {name: Constant() for name in rule.more})
