"""What holds for every configuration and every chain of transforms."""

import string
from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from headwater.watch.connect import mapping
from headwater.watch.connect.chain import Notes, Record, run, steps
from headwater.watch.connect.columns import named
from headwater.watch.connect.connector_lineage import connector_lineage
from headwater.watch.connect.extraction import TopicCatalog
from headwater.watch.connect.transforms import RULES
from headwater.watch.connect.values import Origin, Part, Row, Value
from headwater.watch.fields import Field

CLASSES = mapping.load()
_KAFKA = "org.apache.kafka.connect.transforms."
_FIELDS = st.sampled_from(["a", "b", "c", "d"])


def _of(name: str, **options: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, str]]:
    return st.fixed_dictionaries({"type": st.just(f"{_KAFKA}{name}"), **options})


_STEP = st.one_of(
    _of("ReplaceField$Value", exclude=_FIELDS, renames=st.tuples(_FIELDS, st.just("new")).map(":".join)),
    _of("ReplaceField$Value", include=st.lists(_FIELDS, min_size=1, max_size=3).map(",".join)),
    _of("MaskField$Value", fields=_FIELDS),
    _of("Cast$Value", spec=_FIELDS.map(lambda name: f"{name}:string")),
    _of("TimestampConverter$Value", field=_FIELDS, **{"target.type": st.just("unix")}),
    _of("InsertField$Value", **{"static.field": st.sampled_from(["n", "m"]), "static.value": st.just("1")}),
    _of("HoistField$Value", field=st.just("h")),
    _of("ValueToKey", fields=_FIELDS),
    _of("RegexRouter", regex=st.just("(.*)"), replacement=st.just("x$1")),
)


def _config(chain: list[dict[str, str]]) -> dict[str, str]:
    config = {"transforms": ",".join(f"t{n}" for n in range(len(chain)))}
    for n, step in enumerate(chain):
        # Two fields of one name are an error in Connect.
        config |= {f"transforms.t{n}.{key}": value.replace("new", f"new{n}") for key, value in step.items()}
    return config


def _after(config: Mapping[str, str], value: Value) -> Record:
    notes = Notes()
    (record,) = run(steps(config, notes), Record("t", Row(Origin("key")), value), RULES, CLASSES, notes)
    assert list(notes) == []
    return record


@given(st.lists(_STEP, max_size=6))
def test_forwards_and_backwards_agree(chain: list[dict[str, str]]) -> None:
    """With known fields, an output field has the same origins as when it is traced back from the end."""
    config = _config(chain)
    known = Part(Origin("value"), Field("", "struct", tuple(Field(name, "string") for name in "abcd")))
    forwards, backwards = _after(config, known), _after(config, Row(Origin("value")))
    assert forwards.topic == backwards.topic
    for name, value, _ in named(forwards.value):
        assert value is not None
        if name == "h" or name.endswith(".h"):
            continue  # the whole: fields that are known on the one side only
        traced = backwards.value.at(name.split("."))
        assert traced is not None, name
        assert traced.origins() == value.origins(), name


_OPTION = st.sampled_from(
    [
        "connector.class",
        "topics",
        "topics.regex",
        "transforms",
        "transforms.a.type",
        "transforms.a.regex",
        "transforms.a.replacement",
        "transforms.a.fields",
        "transforms.a.spec",
        "transforms.a.predicate",
        "predicates",
        "predicates.p.type",
        "predicates.p.pattern",
        "connection.url",
        "connection.uri",
        "table.include.list",
        "topic.prefix",
        "query",
        "connect.s3.kcql",
        "iceberg.tables",
        "s3.bucket.name",
        "database.hostname",
        "topic",
        "file",
        "topic.namespace.map",
        "topic2TableMap",
        "datasets",
        "iceberg.tables.route-field",
        "column.mask.with.3.chars",
    ]
)
_TOPIC = st.text(string.ascii_lowercase + "._-", min_size=1, max_size=5)
_TEXT = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        [*CLASSES.classes(), *RULES, *(f"{name}$Value" for name in RULES), "a", "p", "(", "a,b", "$1", "*"]
    ),
    st.sampled_from(["jdbc:postgresql://h/d", "jdbc:x", "mongodb://[::1", "http://h:99999", "{}", '{"a": {}}', "[=x"]),
)


@given(st.dictionaries(_OPTION, _TEXT, max_size=8), st.sampled_from(["source", "sink", ""]), st.sets(_TOPIC))
def test_no_configuration_breaks_it(config: dict[str, str], kind: str, used: set[str]) -> None:
    catalog = TopicCatalog("b:9092", frozenset(used), frozenset(used))
    lineage = connector_lineage("it", config, kind, CLASSES, catalog)
    for dataset in (*lineage.inputs, *lineage.outputs):
        assert dataset.name
    for source, target in lineage.pairs:
        assert source in lineage.inputs
        assert target in lineage.outputs
