"""Sources: tables, files or nothing in, topics out."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from headwater.emit.naming import Dataset, kafka_namespace
from headwater.watch.connect import columns as cols
from headwater.watch.connect import debezium, java, places, tables, templates
from headwater.watch.connect.chain import Notes, Record
from headwater.watch.connect.found import Search, World
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


class Made(NamedTuple):
    """A table (None: nothing is read) and the topic that it is written to, before any transform."""

    scope: Mapping[str, str]
    dataset: Dataset | None
    topic: str
    whole: bool = True
    """False where the columns are chosen by a query that nobody here reads."""


def find(search: Search, connector: Connector | None) -> None:
    world, found, notes = search.world, search.found, search.notes
    kafka = search.kafka("producer")
    if connector is None:
        for topic in _named_topics(search.config, world):
            found.written(found.topic(kafka, topic)).add(world.columns(topic) or (), {})
        return
    scope = places.scope_of(connector, search.config)
    if connector.kafka:
        try:
            kafka = kafka_namespace(templates.fill(connector.kafka, scope) or world.kafka)
        except Missing as e:
            notes.add(str(e))
    left = set(world.seen)
    for made in _pairs(connector, scope, world, notes):
        left -= _written(search, connector, made, kafka)
    for topic in sorted(left):
        derived = _derived(connector, scope, topic)
        if derived is None or not _written(search, connector, derived, kafka, expected=topic):
            found.written(found.topic(kafka, topic)).add(world.columns(topic) or (), {})


def _named_topics(config: Mapping[str, str], world: World) -> list[str]:
    """Of a class that nobody knows: what Connect saw, and what an option that is called like that says."""
    told = [config[option] for option in ("topic", "kafka.topic", "topics") if config.get(option)]
    topics = [topic.strip() for text in told for topic in text.split(",") if topic.strip()]
    return list(dict.fromkeys([*sorted(world.seen), *(topics if not world.seen else ())]))


def _pairs(connector: Connector, scope: dict[str, str], world: World, notes: Notes) -> Iterable[Made]:
    if connector.option_topics:
        names = (re.fullmatch(connector.option_topics, option) for option in scope)
        for topic in dict.fromkeys(found["topic"] for found in names if found is not None):
            yield Made(scope, None, topic)
        return
    if connector.kcql:
        statements = tables.kcql(scope.get(connector.kcql, ""))
        if not statements:
            notes.add(f"the option {connector.kcql} has no statement that is understood")
        for statement in statements:
            made = _made(connector, scope, statement.of, notes, topic=statement.into)
            if made is not None:
                yield made
        return
    if not connector.tables:
        made = _made(connector, scope, None, notes)
        if made is not None:
            yield made
        return
    for table, whole in _listed(connector, scope, world, notes):
        made = _made(connector, scope, table, notes)
        if made is not None:
            yield made._replace(whole=whole)


def _listed(connector: Connector, scope: Mapping[str, str], world: World, notes: Notes) -> Iterable[tuple[str, bool]]:
    told = [entry for option in connector.tables for entry in java.listed(scope.get(option, ""))]
    for entry in told:
        table = java.literal(entry)
        if table is not None:
            yield table, True
        elif not world.seen:
            notes.add(f"which tables fit {entry} shows when their topics have records")
    if told:
        return
    for option in connector.query:
        if scope.get(option):
            names, whole = tables.of_query(scope[option])
            if not whole:
                notes.add("where the columns of the query come from is not known")
            yield from ((table, whole) for table in names)
            return
    if not world.seen:
        notes.add("no table is named: which are read shows when their topics have records")


def _made(
    connector: Connector, scope: Mapping[str, str], table: str | None, notes: Notes, topic: str | None = None
) -> Made | None:
    try:
        inner = places.with_table(connector, scope, table) if table is not None else dict(scope)
        if topic is None:
            topic = _topic(connector, inner)
        return Made(inner, places.dataset(connector, inner), topic)
    except Missing as e:
        notes.add(str(e))
        return None


def _topic(connector: Connector, scope: Mapping[str, str]) -> str:
    for option in connector.map:
        # MongoDB: "db.collection" or "db" → topic
        maps = tables.pairs(scope.get(option, ""))
        database, collection = scope.get("database", ""), scope.get("collection", "")
        found = maps.get(f"{database}.{collection}") or maps.get("*")
        if found is None and database in maps:
            found = maps[database] + scope.get("topic.separator", ".") + collection
        if found:
            return templates.fill("{topic.prefix|'':separated}", scope) + found
    rule = next((rule for rule in connector.topic if rule.fits(scope)), None)
    if rule is None:
        raise Missing("the options fit no description of the topic")
    return templates.fill(rule.name, scope)


def _derived(connector: Connector, scope: Mapping[str, str], topic: str) -> Made | None:
    """The table that a topic must be of, by the way that topics are named."""
    rule = next((rule for rule in connector.topic if rule.fits(scope)), None)
    if rule is None or not connector.tables or not connector.parts:
        return None
    names = list(re.compile(connector.parts).groupindex)
    parts = dict.fromkeys(names, "[^.]+") | {names[-1]: ".+"}
    found = templates.reverse(rule.name, scope, parts, topic)
    if found is None:
        return None
    inner = {**scope, **found, "table": ".".join(found[name] for name in names if name in found)}
    if not _wanted(connector, scope, inner["table"]):
        return None
    try:
        return Made(inner, places.dataset(connector, inner), topic)
    except Missing:
        return None


def _wanted(connector: Connector, scope: Mapping[str, str], table: str) -> bool:
    include = [e for option in connector.tables for e in java.listed(scope.get(option, ""))]
    exclude = [e for option in connector.exclude for e in java.listed(scope.get(option, ""))]
    return (not include or any(_fits(e, table) for e in include)) and not any(_fits(e, table) for e in exclude)


def _fits(expression: str, table: str) -> bool:
    regex = java.pattern(expression)
    return regex is not None and any(regex.fullmatch(name) for name in (table, table.partition(".")[2]) if name)


def _written(search: Search, connector: Connector, made: Made, kafka: str, expected: str | None = None) -> set[str]:
    """Adds what becomes of a table; gives the topics that this explains. With `expected`, only that one counts."""
    seen, found = search.world.seen, search.found
    explained: set[str] = set()
    if made.dataset is not None and expected is None:
        found.read(made.dataset)
    for record in search.run(Record(made.topic, *_record(connector, made))):
        if record.topic is None:
            continue
        names = {topic for topic in seen if _is_of_time(record.topic, topic)} or {record.topic}
        if expected is not None and expected not in names:
            continue
        for topic in sorted(names):
            explained.add(topic)
            _columns(search, connector, made, record, found.topic(kafka, topic))
    return explained


def _is_of_time(pattern: str, topic: str) -> bool:
    """Whether a topic with a pattern of time in its name may have become this one."""
    if "{" not in pattern:
        return False
    # A letter of the pattern is a sign of the time; quotes are not.
    parts = re.split(r"\{([^{}]+)\}", pattern)
    texts = [f".{{{len(part.replace(chr(39), ''))}}}" if at % 2 else re.escape(part) for at, part in enumerate(parts)]
    return re.fullmatch("".join(texts), topic) is not None


def _record(connector: Connector, made: Made) -> tuple[Value, Value]:
    """Key and value as the connector makes them."""
    key, value = Origin("key"), Origin("value")
    if connector.record == "envelope":
        return Row(key), debezium.envelope()
    if connector.record == "text":
        return Constant(), Part(value, Field("value", "string"))
    if connector.record == "row" and made.whole:
        return Row(key), Row(value)
    if connector.record == "row":
        return Anything(()), Anything(())
    return Part(key), Part(value)


def _columns(search: Search, connector: Connector, made: Made, record: Record, topic: Dataset) -> None:
    world, found = search.world, search.found
    output = found.written(topic)
    if made.dataset is not None:
        found.read(made.dataset)
        found.pairs.add((made.dataset, topic))
    value, key = world.schemas(topic.name, "value"), world.schemas(topic.name, "key")
    fields = world.columns(topic.name)
    output.add(fields if fields is not None else _known_fields(record), {})
    if made.dataset is None:
        return
    column = _COLUMNS[connector.record]
    columns: dict[str, list[cols.From]] = {}
    types: dict[str, str] = {}
    for prefix, part, schema in (("", record.value, value), ("key", record.key, key)):
        for name, below, kind in _named(prefix, part, schema):
            if below is None:
                continue
            origins = cols.came_from(below.origins(), made.dataset, column)
            columns.setdefault(name, origins)
            for origin in origins:
                if not origin.way.changed and kind and kind != "struct":
                    types.setdefault(origin.field, kind)
                else:
                    types.setdefault(origin.field, "")
    for name in [name for name, origins in columns.items() if not origins]:
        # A struct that is no column of the table is made of those that are its fields.
        inside = [origins for field, origins in columns.items() if field.startswith(f"{name}.")]
        columns[name] = list(dict.fromkeys(origin for origins in inside for origin in origins))
    if connector.record == "envelope":
        columns = debezium.masked(columns, search.config, made.scope)
    output.add((), columns)
    found.read(made.dataset, (Field(name, kind) for name, kind in types.items()))


def _known_fields(record: Record) -> tuple[Field, ...]:
    names = record.value.names()
    if names == ():
        return (Field("value", record.value.type or ""),)
    return () if debezium.is_envelope(record.value) else cols.schema_of(record.value)


def _named(prefix: str, part: Value, schema: Field | None) -> Iterable[tuple[str, Value | None, str | None]]:
    """The columns of the value, or of the key under `key`."""
    if schema is None and (debezium.is_envelope(part) or (prefix and not part.origins())):
        return  # what is in it is not known, or nothing is
    fields = schema.fields if schema is not None and schema.type == "struct" else None
    plain = (schema is not None and fields is None) or (schema is None and part.names() == ())
    if plain or (prefix and (schema is not None or part.names())):
        yield prefix or "value", part, (schema.type if schema is not None else part.type)
    if not plain and (not prefix or schema is not None or part.names()):
        for name, below, kind in cols.named(part, fields):
            yield f"{prefix}.{name}" if prefix else name, below, kind
