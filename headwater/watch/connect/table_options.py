"""Options that say which tables belong to which topics: KCQL statements, `topic:table` pairs, SQL queries."""

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

from headwater.watch.connect.values import Anything, Struct, Value

_STATEMENT = re.compile(
    r"(?:INSERT|UPSERT|UPDATE)\s+INTO\s+(?P<into>`[^`]+`|\S+)\s+SELECT\s+(?P<what>.+?)\s+FROM\s+(?P<of>`[^`]+`|\S+)",
    re.IGNORECASE | re.DOTALL,
)
_FROM = re.compile(r"\b(?:from|join)\s+([\w$.\"`\[\]]+)", re.IGNORECASE)
_WHOLE = re.compile(
    r"\s*select\s+(?:\w+\.)?\*\s+from\s+[\w$.\"`\[\]]+(?:\s+(?:as\s+)?\w+)?\s*(?:where\b.*)?", re.I | re.S
)


class Statement(NamedTuple):
    """`INSERT INTO into SELECT what FROM of`"""

    into: str
    what: str
    of: str


def kcql(text: str) -> list[Statement]:
    matches = (_STATEMENT.search(statement) for statement in text.split(";"))
    return [Statement(m["into"].strip("`"), m["what"].strip(), m["of"].strip("`")) for m in matches if m is not None]


def selected(what: str, key: Value, value: Value) -> Value:
    """The fields that a statement selects."""
    if what.strip() == "*":
        return value
    fields: dict[str, Value] = {}
    for item in what.split(","):
        source, _, alias = re.sub(r"\s+as\s+", "\0", item.strip(), flags=re.I).partition("\0")
        path = [part.strip("`") for part in source.strip().split(".")]
        if path == ["*"]:
            fields |= {name: field for name in value.names() or () if (field := value.get(name)) is not None}
            continue
        base = {"_key": key, "_value": value}.get(path[0])
        field = base.at(path[1:]) if base is not None else value.at(path)
        fields[alias.strip("` ") or path[-1]] = field if field is not None else Anything((key, value))
    return Struct(fields)


def pairs(text: str) -> dict[str, str]:
    """Of `a:b,c:d`, `a=b`, or a JSON object. A quoted name may contain colons."""
    if text.lstrip().startswith("{"):
        try:
            content = json.loads(text)
        except ValueError:
            return {}
        return {str(name): str(value) for name, value in content.items()} if isinstance(content, dict) else {}
    by_name = {}
    for pair in text.split(","):
        match = re.fullmatch(r'\s*("[^"]+"|[^:="]+)\s*[:=]\s*(.+?)\s*', pair)
        if match is not None:
            by_name[match[1].strip().strip('"')] = match[2].strip('"')
    return by_name


def mapped(maps: Mapping[str, str], name: str) -> str | None:
    """The target of a name. A key may be a pattern, as with Snowflake's and MongoDB's connectors."""
    if name in maps:
        return maps[name]
    for pattern, target in maps.items():
        if any(sign in pattern for sign in "*+?[(|"):
            try:
                if pattern == "*" or re.fullmatch(pattern, name):
                    return target
            except re.error:
                continue
    return None


def of_query(sql: str) -> tuple[list[str], bool]:
    """The tables that a query reads, and whether it reads the rows of one table unchanged."""
    tables = list(dict.fromkeys(re.sub(r'["`\[\]]', "", name) for name in _FROM.findall(sql)))
    return tables, len(tables) == 1 and _WHOLE.fullmatch(sql.strip().rstrip(";")) is not None
