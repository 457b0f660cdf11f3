"""Cases of connectors as text: a configuration, what is known around it, and the lineage that it must give.

    == title
    option=value                 the configuration
    --
    topic orders: id string, address{city string}      the schema of its value
    key orders: id string                              the schema of its key; `topic lines: string` is a plain value
    seen orders                  topics that Connect has seen it use
    cluster orders lines         all topics of the cluster
    --
    in kafka://b:9092 orders
    out s3://archive topics/orders
      id <- orders#id
      price <- orders#price:changed      or :masked
      added <-                           made of nothing
      rows <- orders#kind
    alias hive://h:9083 default.orders   another name of the output above
    note …                               a part of a note

The lines after `out` must be all columns, unless there is only `...`.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from headwater.watch.connect import mapping
from headwater.watch.connect.columns import InputField
from headwater.watch.connect.connector_lineage import connector_lineage
from headwater.watch.connect.extraction import TopicCatalog
from headwater.watch.connect.lineage import Lineage
from headwater.watch.fields import Field

CASES = Path(__file__).parent / "cases"


@dataclass(frozen=True)
class Case:
    where: str
    title: str
    config: dict[str, str]
    around: list[str]
    expected: list[str]


def read() -> list[Case]:
    return [case for file in sorted(CASES.glob("*.txt")) for case in _cases(file)]


def _cases(file: Path) -> list[Case]:
    cases = []
    for text in re.split(r"^== ", file.read_text(), flags=re.M)[1:]:
        title, _, body = text.partition("\n")
        config, around, expected = (part.splitlines() for part in re.split(r"^--$", body, flags=re.M))
        options = dict(line.split("=", 1) for line in config if line.strip())
        lines = [line for line in around if line.strip()]
        cases.append(Case(file.stem, title, options, lines, [line for line in expected if line.strip()]))
    return cases


def run(case: Case) -> Lineage:
    classes = mapping.load()
    class_ = classes.connector(case.config.get("connector.class", ""))
    kind = class_.kind if class_ else ("sink" if "topics" in case.config or "topics.regex" in case.config else "source")
    return connector_lineage("it", case.config, kind, classes, catalog(case.around))


def catalog(lines: list[str]) -> TopicCatalog:
    schemas: dict[tuple[str, str], Field] = {}
    used: frozenset[str] = frozenset()
    cluster: frozenset[str] | None = None
    for line in lines:
        word, _, rest = line.partition(" ")
        if word in ("topic", "key"):
            name, _, text = rest.partition(":")
            schemas[name.strip(), "value" if word == "topic" else "key"] = schema(text.strip())
        elif word == "seen":
            used = frozenset(rest.split())
        elif word == "cluster":
            cluster = frozenset(rest.split())
        else:
            raise AssertionError(f"not understood: {line}")
    return TopicCatalog("broker:9092,other:9092", used, cluster, lambda topic, part: schemas.get((topic, part)))


def schema(text: str) -> Field:
    if re.fullmatch(r"\w+", text):
        return Field("", text)
    return Field("", "struct", _fields(text))


def _fields(text: str) -> tuple[Field, ...]:
    texts, depth, start = [], 0, 0
    for at, sign in enumerate(text + ","):
        depth += (sign == "{") - (sign == "}")
        if sign == "," and depth == 0:
            texts.append(text[start:at].strip())
            start = at + 1
    fields = []
    for field in texts:
        if "{" in field:
            name, _, inside = field.partition("{")
            fields.append(Field(name.strip(), "struct", _fields(inside.rstrip("} "))))
        else:
            name, _, kind = field.partition(" ")
            fields.append(Field(name, kind.strip()))
    return tuple(fields)


def notated(lineage: Lineage, case: Case) -> list[str]:
    """The lineage in the notation of the case; columns only where the case has them."""
    lines = [f"in {d.namespace} {d.name}" for d in lineage.inputs]
    for output in lineage.outputs.values():
        head = f"out {output.dataset.namespace} {output.dataset.name}"
        lines.append(head)
        at = case.expected.index(head) if head in case.expected else None
        if at is not None and case.expected[at + 1 : at + 2] == ["  ..."]:
            lines.append("  ...")
        else:
            lines += [f"  {name} <- {_origins(origins)}".rstrip() for name, origins in output.columns.items()]
            lines += [f"  rows <- {_origins(output.rows)}"] if output.rows else []
        lines += [f"alias {namespace} {name}" for namespace, name in output.dataset.symlinks]
    return lines


def _origins(origins: list[InputField]) -> str:
    words = []
    for origin in sorted(origins):
        how = ":masked" if origin.transformation.masked else ":changed" if origin.transformation.changed else ""
        words.append(f"{origin.dataset.name}#{origin.field}{how}")
    return " ".join(words)
