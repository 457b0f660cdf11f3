"""Lineage of sources: from tables, files or nothing to topics."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from headwater.emit.naming import Dataset, kafka_namespace
from headwater.watch.connect import columns as cols
from headwater.watch.connect import dataset_names, debezium, java, table_options, templates
from headwater.watch.connect.chain import Notes, Record
from headwater.watch.connect.extraction import Extraction, TopicCatalog
from headwater.watch.connect.mapping import Connector
from headwater.watch.connect.templates import Missing
from headwater.watch.connect.values import Anything, Constant, Origin, Part, Row, Value
from headwater.watch.fields import Field

_COLUMNS = {
    "row": cols.of_row,
    "envelope": cols.of_envelope,
    "open": cols.of_row,
    "text": cols.of_line,
    "none": lambda origin: None,
}


class TableTopic(NamedTuple):
    """A table that is read (None: nothing is) and the topic that it is written to, before any transform."""

    scope: Mapping[str, str]
    dataset: Dataset | None
    topic: str
    whole: bool = True
    """False where a query chooses the columns."""


def extract(extraction: Extraction, connector: Connector | None) -> None:
    catalog, lineage, notes = extraction.catalog, extraction.lineage, extraction.notes
    kafka = extraction.kafka("producer")
    if connector is None:
        for topic in _named_topics(extraction.config, catalog):
            lineage.output(lineage.topic(kafka, topic)).add(catalog.columns(topic) or (), {})
        return
    scope = dataset_names.scope_of(connector, extraction.config)
    if connector.kafka:
        try:
            kafka = kafka_namespace(templates.fill(connector.kafka, scope) or catalog.brokers)
        except Missing as e:
            notes.add(str(e))
    unexplained = set(catalog.used)
    for pair in _pairs(connector, scope, catalog, notes):
        unexplained -= _add_topics(extraction, connector, pair, kafka)
    for topic in sorted(unexplained):
        derived = _derived(connector, scope, topic)
        if derived is None or not _add_topics(extraction, connector, derived, kafka, expected=topic):
            lineage.output(lineage.topic(kafka, topic)).add(catalog.columns(topic) or (), {})


def _named_topics(config: Mapping[str, str], catalog: TopicCatalog) -> list[str]:
    """The topics of an unknown class: those that Connect has seen it use, else those in the usual options."""
    lists = [config[option] for option in ("topic", "kafka.topic", "topics") if config.get(option)]
    topics = [topic.strip() for text in lists for topic in text.split(",") if topic.strip()]
    return list(dict.fromkeys([*sorted(catalog.used), *(topics if not catalog.used else ())]))


def _pairs(connector: Connector, scope: dict[str, str], catalog: TopicCatalog, notes: Notes) -> Iterable[TableTopic]:
    if connector.option_topics:
        matches = (re.fullmatch(connector.option_topics, option) for option in scope)
        for topic in dict.fromkeys(match["topic"] for match in matches if match is not None):
            yield TableTopic(scope, None, topic)
        return
    if connector.kcql:
        statements = table_options.kcql(scope.get(connector.kcql, ""))
        if not statements:
            notes.add(f"no statement of the option {connector.kcql} is understood")
        for statement in statements:
            pair = _pair(connector, scope, statement.of, notes, topic=statement.into)
            if pair is not None:
                yield pair
        return
    if not connector.tables:
        pair = _pair(connector, scope, None, notes)
        if pair is not None:
            yield pair
        return
    for table, whole in _listed(connector, scope, catalog, notes):
        pair = _pair(connector, scope, table, notes)
        if pair is not None:
            yield pair._replace(whole=whole)


def _listed(
    connector: Connector, scope: Mapping[str, str], catalog: TopicCatalog, notes: Notes
) -> Iterable[tuple[str, bool]]:
    entries = [entry for option in connector.tables for entry in java.listed(scope.get(option, ""))]
    for entry in entries:
        table = java.literal(entry)
        if table is not None:
            yield table, True
        elif not catalog.used:
            notes.add(f"the tables that match {entry} are known when their topics have records")
    if entries:
        return
    for option in connector.query:
        if scope.get(option):
            names, whole = table_options.of_query(scope[option])
            if not whole:
                notes.add("the origin of the query's columns is not known")
            yield from ((table, whole) for table in names)
            return
    if not catalog.used:
        notes.add("no table is named: the tables are known when their topics have records")


def _pair(
    connector: Connector, scope: Mapping[str, str], table: str | None, notes: Notes, topic: str | None = None
) -> TableTopic | None:
    try:
        inner = dataset_names.with_table(connector, scope, table) if table is not None else dict(scope)
        if topic is None:
            topic = _topic(connector, inner)
        return TableTopic(inner, dataset_names.dataset(connector, inner), topic)
    except Missing as e:
        notes.add(str(e))
        return None


def _topic(connector: Connector, scope: Mapping[str, str]) -> str:
    for option in connector.map:
        # MongoDB: "db.collection" or "db" → topic
        maps = table_options.pairs(scope.get(option, ""))
        database, collection = scope.get("database", ""), scope.get("collection", "")
        topic = maps.get(f"{database}.{collection}") or maps.get("*")
        if topic is None and database in maps:
            topic = maps[database] + scope.get("topic.separator", ".") + collection
        if topic:
            return templates.fill("{topic.prefix|'':separated}", scope) + topic
    rule = next((rule for rule in connector.topic if rule.fits(scope)), None)
    if rule is None:
        raise Missing("the class description names no topic for these options")
    return templates.fill(rule.name, scope)


def _derived(connector: Connector, scope: Mapping[str, str], topic: str) -> TableTopic | None:
    """The table of a topic, derived from the pattern that topics are named by."""
    rule = next((rule for rule in connector.topic if rule.fits(scope)), None)
    if rule is None or not connector.tables or not connector.parts:
        return None
    names = list(re.compile(connector.parts).groupindex)
    parts = dict.fromkeys(names, "[^.]+") | {names[-1]: ".+"}
    values = templates.reverse(rule.name, scope, parts, topic)
    if values is None:
        return None
    inner = {**scope, **values, "table": ".".join(values[name] for name in names if name in values)}
    if not _is_included(connector, scope, inner["table"]):
        return None
    try:
        return TableTopic(inner, dataset_names.dataset(connector, inner), topic)
    except Missing:
        return None


def _is_included(connector: Connector, scope: Mapping[str, str], table: str) -> bool:
    include = [e for option in connector.tables for e in java.listed(scope.get(option, ""))]
    exclude = [e for option in connector.exclude for e in java.listed(scope.get(option, ""))]
    return (not include or any(_fits(e, table) for e in include)) and not any(_fits(e, table) for e in exclude)


def _fits(expression: str, table: str) -> bool:
    regex = java.pattern(expression)
    return regex is not None and any(regex.fullmatch(name) for name in (table, table.partition(".")[2]) if name)


def _add_topics(
    extraction: Extraction, connector: Connector, pair: TableTopic, kafka: str, expected: str | None = None
) -> set[str]:
    """Adds the topics that a table is written to, and returns them. With `expected`, only that topic is added."""
    used, lineage = extraction.catalog.used, extraction.lineage
    written: set[str] = set()
    if pair.dataset is not None and expected is None:
        lineage.add_input(pair.dataset)
    for record in extraction.run(Record(pair.topic, *_record(connector, pair))):
        if record.topic is None:
            continue
        names = {topic for topic in used if _is_of_time(record.topic, topic)} or {record.topic}
        if expected is not None and expected not in names:
            continue
        for topic in sorted(names):
            written.add(topic)
            _add_columns(extraction, connector, pair, record, lineage.topic(kafka, topic))
    return written


def _is_of_time(pattern: str, topic: str) -> bool:
    """Whether a name with a time pattern in it, such as `orders-{yyyyMMdd}`, may have become this topic."""
    if "{" not in pattern:
        return False
    # Each letter of the pattern stands for one character; quotes do not.
    parts = re.split(r"\{([^{}]+)\}", pattern)
    texts = [f".{{{len(part.replace(chr(39), ''))}}}" if at % 2 else re.escape(part) for at, part in enumerate(parts)]
    return re.fullmatch("".join(texts), topic) is not None


def _record(connector: Connector, pair: TableTopic) -> tuple[Value, Value]:
    """Key and value as the connector makes them."""
    key, value = Origin("key"), Origin("value")
    if connector.record == "envelope":
        return Row(key), debezium.envelope()
    if connector.record == "text":
        return Constant(), Part(value, Field("value", "string"))
    if connector.record == "row" and pair.whole:
        return Row(key), Row(value)
    if connector.record == "row":
        return Anything(()), Anything(())
    return Part(key), Part(value)


def _add_columns(
    extraction: Extraction, connector: Connector, pair: TableTopic, record: Record, topic: Dataset
) -> None:
    catalog, lineage = extraction.catalog, extraction.lineage
    output = lineage.output(topic)
    if pair.dataset is not None:
        lineage.add_input(pair.dataset)
        lineage.pairs.add((pair.dataset, topic))
    value, key = catalog.schemas(topic.name, "value"), catalog.schemas(topic.name, "key")
    fields = catalog.columns(topic.name)
    output.add(fields if fields is not None else _known_fields(record), {})
    if pair.dataset is None:
        return
    column = _COLUMNS[connector.record]
    columns: dict[str, list[cols.InputField]] = {}
    types: dict[str, str] = {}
    for prefix, part, schema in (("", record.value, value), ("key", record.key, key)):
        for name, below, kind in _named(prefix, part, schema):
            if below is None:
                continue
            origins = cols.came_from(below.origins(), pair.dataset, column)
            columns.setdefault(name, origins)
            for origin in origins:
                if not origin.transformation.changed and kind and kind != "struct":
                    types.setdefault(origin.field, kind)
                else:
                    types.setdefault(origin.field, "")
    for name in [name for name, origins in columns.items() if not origins]:
        # A struct that is not a column of the table is made of the columns in its fields.
        inside = [origins for field, origins in columns.items() if field.startswith(f"{name}.")]
        columns[name] = list(dict.fromkeys(origin for origins in inside for origin in origins))
    if connector.record == "envelope":
        columns = debezium.masked(columns, extraction.config, pair.scope)
    output.add((), columns)
    lineage.add_input(pair.dataset, (Field(name, kind) for name, kind in types.items()))


def _known_fields(record: Record) -> tuple[Field, ...]:
    names = record.value.names()
    if names == ():
        return (Field("value", record.value.type or ""),)
    return () if debezium.is_envelope(record.value) else cols.schema_of(record.value)


def _named(prefix: str, part: Value, schema: Field | None) -> Iterable[tuple[str, Value | None, str | None]]:
    """The columns of the value, or of the key under `key`."""
    if schema is None and (debezium.is_envelope(part) or (prefix and not part.origins())):
        return  # its content is not known, or there is none
    fields = schema.fields if schema is not None and schema.type == "struct" else None
    plain = (schema is not None and fields is None) or (schema is None and part.names() == ())
    if plain or (prefix and (schema is not None or part.names())):
        yield prefix or "value", part, (schema.type if schema is not None else part.type)
    if not plain and (not prefix or schema is not None or part.names()):
        for name, below, kind in cols.named(part, fields):
            yield f"{prefix}.{name}" if prefix else name, below, kind
