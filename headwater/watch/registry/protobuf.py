"""The fields of a Protobuf schema, from its text. The first message is what a record holds."""

import re
from collections.abc import Iterator

from headwater.watch.fields import Field

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_WORD = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[\w.+-]+|[{}\[\]()<>;=,]')
_DEPTH = 12
_TIMES = {"google.protobuf.Timestamp": "timestamp", "google.type.Date": "date", "google.type.TimeOfDay": "time"}

# Fields of a message: name, type, and whether there may be many.
_Fields = list[tuple[str, str, bool]]


def parse(text: str) -> Field | None:
    words = _WORD.findall(_COMMENT.sub(" ", text))
    messages: dict[str, _Fields] = {}
    first: list[str] = []
    _block(iter(words), "", messages, first, [])
    if not first:
        return None
    return Field("", "struct", _fields(first[0], messages, _DEPTH))


def _block(words: Iterator[str], path: str, messages: dict[str, _Fields], first: list[str], fields: _Fields) -> None:
    """Up to the brace that closes it: messages, enums and fields."""
    statement: list[str] = []
    for word in words:
        if word == "{":
            head = statement[0] if statement else ""
            if head == "message" and len(statement) > 1:
                name = f"{path}.{statement[1]}".strip(".")
                if not path:
                    first.append(name)
                inside: _Fields = []
                messages[name] = inside
                _block(words, name, messages, first, inside)
            elif head == "oneof":
                _block(words, path, messages, first, fields)
            else:  # an enum, an option, a service
                if head == "enum" and len(statement) > 1:
                    messages[f"{path}.{statement[1]}".strip(".")] = [("", "enum", False)]
                _block(words, f"{path}.", {}, [], [])
            statement = []
        elif word == "}":
            return
        elif word == ";":
            _field(statement, fields)
            statement = []
        else:
            statement.append(word)


def _field(words: list[str], fields: _Fields) -> None:
    many = words[:1] == ["repeated"]
    if words[:1] and words[0] in ("repeated", "optional", "required"):
        words = words[1:]
    if words[:1] and words[0] in ("option", "reserved", "syntax", "package", "import", "extensions", "edition"):
        return
    if words[:2] == ["map", "<"] and len(words) > 6:
        fields.append((words[6], f"map {words[4]}", False))
    elif len(words) >= 4 and words[2] == "=":
        fields.append((words[1], words[0], many))


def _fields(message: str, messages: dict[str, _Fields], depth: int) -> tuple[Field, ...]:
    fields = []
    for name, kind, many in messages[message]:
        if kind.startswith("map "):
            fields.append(
                Field(name, "map", (Field("key", "string"), _typed("value", kind[4:], message, messages, depth)))
            )
        elif many:
            fields.append(Field(name, "array", (_typed("_element", kind, message, messages, depth),)))
        else:
            fields.append(_typed(name, kind, message, messages, depth))
    return tuple(fields)


def _typed(name: str, kind: str, message: str, messages: dict[str, _Fields], depth: int) -> Field:
    """A type is looked for from the inside out."""
    above = message.split(".")
    for cut in range(len(above), -1, -1):
        full = ".".join((*above[:cut], kind.lstrip(".")))
        inside = messages.get(full)
        if inside is not None:
            if inside and inside[0][1] == "enum":
                return Field(name, "string")
            return Field(name, "struct", _fields(full, messages, depth - 1)) if depth else Field(name, kind)
    return Field(name, _TIMES.get(kind.lstrip("."), kind.rpartition(".")[2]))
