"""Descriptions of connector classes: `classes.toml` beside this file, and files of the same format from users."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Literal

import msgspec

from headwater.errors import BadRequest
from headwater.watch.connect import templates


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A part of a description that holds under a condition."""

    when: dict[str, str] = {}
    """Options that must match a regular expression each; an empty one means: not set."""

    def fits(self, scope: Mapping[str, str]) -> bool:
        return all(re.fullmatch(text, scope.get(name, ""), re.IGNORECASE) for name, text in self.when.items())


class Symlink(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    namespace: str
    name: str


class DatasetTemplate(_Part, frozen=True):
    """How a dataset is named: namespace and name, or a path or URL that has both."""

    namespace: str = ""
    name: str = ""
    path: str = ""
    symlink: Symlink | None = None


class Topic(_Part, frozen=True, kw_only=True):
    """What the topic of a source's table is called."""

    name: str


class Columns(_Part, frozen=True):
    """What a sink makes of a record."""

    whole: str = ""
    """All of the value goes into this column."""
    more: list[str] = []
    """Columns that the sink adds by itself."""
    keep: str = ""
    """The option that lists the fields of the value that are kept."""
    keys: str = ""
    """The option that lists those fields of the key that become columns, or names the one column of a plain key."""
    key: bool = False
    """Fields of the key are columns, too."""
    unwrap: bool = False
    """Of a change record of Debezium, what is in `after` is taken."""


class Connector(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    classes: list[str]
    kind: Literal["source", "sink"]
    dataset: list[DatasetTemplate] = []
    """The first that fits is used. Empty for a source that makes its data itself."""
    columns: list[Columns] = []
    jdbc: str = ""
    """The option with a JDBC URL; gives `jdbc.namespace`, `jdbc.database` and `jdbc.schema`."""
    urls: dict[str, str] = {}
    """Names of options with URLs; for `{at = "connection.url"}` there are `at.host`, `at.port`, `at.path`."""
    defaults: dict[str, str] = {}
    """Defaults of options that are not set."""
    kafka: str = ""
    """Where a source's topics are, if not in the cluster that Connect itself uses."""
    tables: list[str] = []
    """Options that list tables: of a source, those that it reads (names or regular expressions); of a sink, those
    that it writes."""
    exclude: list[str] = []
    parts: str = ""
    """A regular expression with named groups, into which the name of a table is taken apart."""
    topic: list[Topic] = []
    map: list[str] = []
    """Options with pairs `topic:table` (sinks) or `table:topic` (sources; also as JSON)."""
    table: str = "{topic}"
    """What the table of a topic is called, if neither a list nor a map says so."""
    kcql: str = ""
    """The option with statements `INSERT INTO table SELECT … FROM topic`."""
    query: list[str] = []
    """Options with an SQL query that a source reads instead of tables."""
    option_topics: str = ""
    """A regular expression over names of options, whose group `topic` is a topic."""
    record: Literal["row", "envelope", "open", "text", "none"] = "row"
    """What a source puts into the value: a table's row, a change record of Debezium around it, something of which
    only the names at the end are known, a line of text, or nothing that comes from elsewhere."""
    route_field: str = ""
    """The option that names the field by whose value a sink chooses among its tables."""
    route_regex: str = ""
    """The option with the expression for a table, with `<table>` in its name."""
    group: str = "connect-{name}"


class Transform(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A transform of which only the effect matters."""

    classes: list[str]
    effect: Literal["none", "topic", "value"]
    """`none`: the record stays as it is, as far as lineage goes. `topic`: only the topic may be another. `value`:
    anything may happen to key and value, but the topic stays."""


class File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    connector: list[Connector] = []
    transform: list[Transform] = []


class ClassDescriptions:
    """All descriptions together; later files override earlier ones."""

    def __init__(self, files: Iterable[File]) -> None:
        self._connectors: dict[str, Connector] = {}
        self._aliases: dict[str, Connector] = {}
        self._transforms: dict[str, str] = {}
        for file in files:
            for connector in file.connector:
                for name in connector.classes:
                    self._connectors[name] = connector
                    simple = name.rpartition(".")[2]
                    # Connect takes both, as long as only one plugin has that name.
                    for alias in {simple, simple.removesuffix("Connector")} - {""}:
                        self._aliases.setdefault(alias, connector)
            for transform in file.transform:
                self._transforms |= dict.fromkeys(transform.classes, transform.effect)

    def connector(self, name: str) -> Connector | None:
        return self._connectors.get(name) or self._aliases.get(name)

    def effect(self, transform: str) -> str | None:
        return self._transforms.get(transform)

    def classes(self) -> list[str]:
        return sorted(self._connectors)


@lru_cache(maxsize=1)
def _own() -> File:
    return _decoded(resources.files("headwater.watch.connect").joinpath("classes.toml").read_bytes(), "classes.toml")


def own_connectors() -> list[Connector]:
    """All descriptions that come with Headwater."""
    return _own().connector


def load(files: Iterable[Path] = ()) -> ClassDescriptions:
    """Headwater's descriptions and those of these files."""
    descriptions = [_own()]
    for file in files:
        try:
            descriptions.append(_decoded(file.read_bytes(), str(file)))
        except OSError as e:
            raise BadRequest(f"cannot read the mapping {file}: {e.strerror or e}") from None
    return ClassDescriptions(descriptions)


def _decoded(content: bytes, where: str) -> File:
    try:
        file = msgspec.convert(tomllib.loads(content.decode()), File)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as e:
        raise BadRequest(f"the mapping {where} is invalid: {e}") from None
    for connector in file.connector:
        problem = _problem(connector)
        if problem is not None:
            raise BadRequest(f"the mapping {where} is invalid: {connector.classes[0]}: {problem}")
    return file


def _problem(connector: Connector) -> str | None:
    texts = [connector.table, connector.kafka, connector.group, *(topic.name for topic in connector.topic)]
    for place in connector.dataset:
        if not (place.path or (place.namespace and place.name)):
            return "a dataset needs a namespace and a name, or a path"
        texts += [place.namespace, place.name, place.path]
        if place.symlink is not None:
            texts += [place.symlink.namespace, place.symlink.name]
    for text in texts:
        if (wrong := templates.check(text)) is not None:
            return wrong
    expressions = [connector.parts, connector.option_topics]
    for part in (*connector.dataset, *connector.topic, *connector.columns):
        expressions += part.when.values()
    for expression in expressions:
        try:
            re.compile(expression)
        except re.error as e:
            return f"{expression!r} is not a regular expression: {e}"
    if connector.option_topics and "topic" not in re.compile(connector.option_topics).groupindex:
        return "option_topics needs a group (?P<topic>…)"
    return None
