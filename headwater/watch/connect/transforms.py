"""What the transforms that come with Kafka, Debezium and others do to a record. One function each."""

import re

from headwater.watch.connect import java
from headwater.watch.connect.chain import Notes, Record, Rule, Step
from headwater.watch.connect.values import (
    CHANGED,
    MASKED,
    Anything,
    Changed,
    Constant,
    Edited,
    Flat,
    Struct,
    Value,
)

# Topics


def regex_router(step: Step, record: Record, notes: Notes) -> Record | None:
    return _routed(step, record, notes, step.option("regex"), step.option("replacement"))


def logical_table_router(step: Step, record: Record, notes: Notes) -> Record | None:
    regex = step.option("topic.regex", "logical.table.regex")
    routed = _routed(step, record, notes, regex, step.option("topic.replacement", "logical.table.replacement"))
    if routed is None or routed.topic == record.topic or step.option("key.enforce.uniqueness") == "false":
        return routed
    # Several tables share the topic, so the key says which one a record is of.
    name = step.option("key.field.name", default="__dbz__physicalTableIdentifier")
    return Record(routed.topic, Edited(routed.key, {name: Constant("string", record.topic)}), routed.value)


def _routed(step: Step, record: Record, notes: Notes, regex: str, replacement: str) -> Record:
    if record.topic is None:
        return record
    compiled = java.pattern(regex)
    if not regex or compiled is None:
        notes.add(f"the transform {step.name} has an expression that is not understood: {regex!r}")
        return Record(None, record.key, record.value)
    try:
        topic = java.route(compiled, replacement, record.topic)
    except ValueError as e:
        notes.add(f"the transform {step.name} has a replacement that is not understood: {e}")
        return Record(None, record.key, record.value)
    return record if topic is None else Record(topic, record.key, record.value)


def timestamp_router(step: Step, record: Record, notes: Notes) -> Record | None:
    """The name keeps the time pattern in braces: `orders-{yyyyMMdd}`."""
    if record.topic is None:
        return record
    pattern = step.option("timestamp.format", "topic.timestamp.format", default="yyyyMMdd")
    name = step.option("topic.format", default="${topic}-${timestamp}")
    topic = name.replace("${topic}", record.topic).replace("${timestamp}", f"{{{pattern}}}")
    return Record(topic, record.key, record.value)


# Fields


def replace_field(step: Step, record: Record, notes: Notes) -> Record | None:
    base = record.part(step.part)
    exclude = step.listed("exclude", "blacklist")
    include = step.listed("include", "whitelist")
    renames = _pairs(step.listed("renames"))
    gone = frozenset(exclude) | frozenset(renames)
    names = base.names()
    remaining = [n for n in (include if names is None else names) if n not in exclude and (not include or n in include)]
    if include or names is not None:
        fields = {renames.get(name, name): value for name in remaining if (value := base.get(name)) is not None}
        return record.with_part(step.part, Struct(fields))
    moved = {new: value for old, new in renames.items() if old not in exclude and (value := base.get(old)) is not None}
    return record.with_part(step.part, Edited(base, moved, gone))


def drop_fields(step: Step, record: Record, notes: Notes) -> Record | None:
    """Confluent's `Drop` removes the whole key or value."""
    return record.with_part(step.part, Constant())


def extract_field(step: Step, record: Record, notes: Notes) -> Record | None:
    path = _path(step.option("field"), step.option("field.syntax.version", default="V1"))
    field = record.part(step.part).at(path)
    if field is None:
        notes.add(f"the transform {step.name} extracts a field that does not exist: {step.option('field')}")
        field = Constant()
    return record.with_part(step.part, field)


def cast(step: Step, record: Record, notes: Notes) -> Record | None:
    base = record.part(step.part)
    spec = step.listed("spec")
    if len(spec) == 1 and ":" not in spec[0]:
        return record.with_part(step.part, Changed(base, CHANGED, spec[0], whole=True))
    changed = {}
    for name, kind in _pairs(spec).items():
        if (value := base.get(name)) is not None:
            changed[name] = Changed(value, CHANGED, kind, whole=True)
    return record.with_part(step.part, Edited(base, changed))


def mask_field(step: Step, record: Record, notes: Notes) -> Record | None:
    return _masked(step.listed("fields"), step, record)


def hash_field(step: Step, record: Record, notes: Notes) -> Record | None:
    """Aiven's: one field, or the whole key or value."""
    name = step.option("field.name")
    if not name:
        return record.with_part(step.part, Changed(record.part(step.part), MASKED, "string", whole=True))
    return _masked([name], step, record, "string")


def _masked(names: list[str], step: Step, record: Record, kind: str | None = None) -> Record:
    base = record.part(step.part)
    masked = {
        name: Changed(value, MASKED, kind or value.type, whole=True)
        for name in names
        if (value := base.get(name)) is not None
    }
    return record.with_part(step.part, Edited(base, masked))


_INSERTED = {
    "topic.field": "string",
    "partition.field": "int32",
    "offset.field": "int64",
    "timestamp.field": "timestamp",
}


def insert_field(step: Step, record: Record, notes: Notes) -> Record | None:
    inserted: dict[str, Value] = {}
    for option, kind in _INSERTED.items():
        if name := step.option(option).rstrip("!?"):
            inserted[name] = Constant(kind, record.topic if option == "topic.field" else None)
    if name := step.option("static.field").rstrip("!?"):
        inserted[name] = Constant("string", step.option("static.value"))
    base = record.part(step.part)
    # A field that is there already is overwritten.
    return record.with_part(step.part, Edited(base, inserted))


def hoist_field(step: Step, record: Record, notes: Notes) -> Record | None:
    return record.with_part(step.part, Struct({step.option("field"): record.part(step.part)}))


def flatten(step: Step, record: Record, notes: Notes) -> Record | None:
    return record.with_part(step.part, Flat(record.part(step.part), step.option("delimiter", default=".")))


def value_to_key(step: Step, record: Record, notes: Notes) -> Record | None:
    fields = {name: field for name in step.listed("fields") if (field := record.value.get(name)) is not None}
    return Record(record.topic, Struct(fields), record.value)


_TIME_TYPES = {"string": "string", "unix": "int64", "Date": "date", "Time": "time", "Timestamp": "timestamp"}


def timestamp_converter(step: Step, record: Record, notes: Notes) -> Record | None:
    base, name = record.part(step.part), step.option("field")
    kind = _TIME_TYPES.get(step.option("target.type"), step.option("target.type") or None)
    if not name:
        return record.with_part(step.part, Changed(base, CHANGED, kind, whole=True))
    value = base.get(name)
    if value is None:
        return record
    return record.with_part(step.part, Edited(base, {name: Changed(value, CHANGED, kind, whole=True)}))


def header_from(step: Step, record: Record, notes: Notes) -> Record | None:
    """Fields that move to headers are gone; copied ones stay."""
    if step.option("operation") != "move":
        return record
    return record.with_part(step.part, Edited(record.part(step.part), {}, frozenset(step.listed("fields"))))


def filter_(step: Step, record: Record, notes: Notes) -> Record | None:
    """Kafka's own: drops the records for which its predicate holds."""
    return None


def condition(step: Step, record: Record, notes: Notes) -> Record | None:
    notes.add(f"the transform {step.name} drops records by a condition")
    return record


# Debezium


def extract_new_record_state(step: Step, record: Record, notes: Notes) -> Record | None:
    base = record.value
    row = base.get("after")
    if row is None:  # not a change record: it passes as it is
        return record
    prefix = step.option("add.fields.prefix", default="__")
    more: dict[str, Value] = {}
    for added in step.listed("add.fields"):
        path, _, name = added.partition(":")
        field = base.at(path.split(".")) or base.at(("source", path)) or Constant()
        if "." not in path and path not in _ENVELOPE:
            field = base.at(("source", path)) or field
        more[prefix + (name or path.replace(".", "_"))] = field
    handling = step.option("delete.tombstone.handling.mode", "delete.handling.mode")
    if handling.startswith("rewrite"):
        more[f"{prefix}deleted"] = Constant("string")
    topic = record.topic
    if step.option("route.by.field"):
        notes.add(f"the transform {step.name} chooses the topic by the field {step.option('route.by.field')}")
        topic = None
    return Record(topic, record.key, Edited(row, more) if more else row)


_ENVELOPE = ("op", "ts_ms", "ts_us", "ts_ns", "source", "before", "after", "transaction", "db", "table")


def event_router(step: Step, record: Record, notes: Notes) -> Record | None:
    """The outbox: the topic is in a column of the table, and so is the record."""
    after = record.value.get("after") or Anything((record.value,))
    payload = after.get(step.option("table.field.event.payload", default="payload")) or Anything((after,))
    key = after.get(step.option("table.field.event.key", default="aggregateid")) or Constant()
    by = step.option("route.by.field", default="aggregatetype")
    notes.add(f"the transform {step.name} chooses the topic by the column {by} of the outbox")
    return Record(None, key, Changed(payload, CHANGED))


# Iceberg


def copy_value(step: Step, record: Record, notes: Notes) -> Record | None:
    field = record.value.get(step.option("source.field"))
    if field is None:
        return record
    return Record(record.topic, record.key, Edited(record.value, {step.option("target.field"): field}))


def iceberg_debezium(step: Step, record: Record, notes: Notes) -> Record | None:
    row = record.value.get("after")
    if row is None:
        return record
    return Record(record.topic, record.key, Edited(row, {"_cdc": Constant("struct")}))


def iceberg_metadata(step: Step, record: Record, notes: Notes) -> Record | None:
    name = step.option("field_name", default="_kafka_metadata")
    return Record(record.topic, record.key, Edited(record.value, {name: Constant("struct")}))


def _pairs(elements: list[str]) -> dict[str, str]:
    return {old.strip(): new.strip() for old, _, new in (element.partition(":") for element in elements) if new}


def _path(field: str, version: str) -> list[str]:
    """V2 takes a dotted path into structs; a name with dots stands in backticks."""
    if version.upper() != "V2":
        return [field]
    return [quoted or bare for quoted, bare in re.findall(r"`([^`]+)`|([^.`]+)", field)]


_KAFKA, _CONFLUENT, _DEBEZIUM = (
    "org.apache.kafka.connect.transforms.",
    "io.confluent.connect.transforms.",
    "io.debezium.transforms.",
)
_AIVEN = "io.aiven.kafka.connect.transforms."
_OF_KAFKA: dict[str, Rule] = {
    "RegexRouter": regex_router,
    "TimestampRouter": timestamp_router,
    "ReplaceField": replace_field,
    "ExtractField": extract_field,
    "Cast": cast,
    "MaskField": mask_field,
    "InsertField": insert_field,
    "HoistField": hoist_field,
    "Flatten": flatten,
    "ValueToKey": value_to_key,
    "TimestampConverter": timestamp_converter,
    "HeaderFrom": header_from,
    "Filter": filter_,
}
RULES: dict[str, Rule] = {
    **{_KAFKA + name: rule for name, rule in _OF_KAFKA.items()},
    # Connect finds a transform that comes in one kind only by its short name, too.
    **{name: _OF_KAFKA[name] for name in ("RegexRouter", "TimestampRouter", "Filter", "ValueToKey")},
    _CONFLUENT + "ReplaceField": replace_field,
    _CONFLUENT + "Drop": drop_fields,
    _CONFLUENT + "Filter": condition,
    _CONFLUENT + "MessageTimestampRouter": timestamp_router,
    _DEBEZIUM + "ByLogicalTableRouter": logical_table_router,
    _DEBEZIUM + "ToLogicalTopicRouter": logical_table_router,
    _DEBEZIUM + "ExtractNewRecordState": extract_new_record_state,
    _DEBEZIUM + "UnwrapFromEnvelope": extract_new_record_state,
    _DEBEZIUM + "Filter": condition,
    _DEBEZIUM + "outbox.EventRouter": event_router,
    _AIVEN + "Hash": hash_field,
    _AIVEN + "FilterByFieldValue": condition,
    "org.apache.iceberg.connect.transforms.CopyValue": copy_value,
    "io.tabular.iceberg.connect.transforms.CopyValue": copy_value,
    "org.apache.iceberg.connect.transforms.DebeziumTransform": iceberg_debezium,
    "io.tabular.iceberg.connect.transforms.DebeziumTransform": iceberg_debezium,
    "org.apache.iceberg.connect.transforms.KafkaMetadataTransform": iceberg_metadata,
    "io.tabular.iceberg.connect.transforms.KafkaMetadataTransform": iceberg_metadata,
}
