"""Regular expressions and replacements as Java reads them, which configurations of Connect are written for."""

import re
from functools import lru_cache

_NAMED = re.compile(r"(?<!\\)\(\?<([A-Za-z][A-Za-z0-9]*)>")
_CLASSES = {
    "Alpha": "a-zA-Z",
    "Digit": "0-9",
    "Alnum": "a-zA-Z0-9",
    "Lower": "a-z",
    "Upper": "A-Z",
    "XDigit": "0-9a-fA-F",
}
_CLASS = re.compile(r"\\p\{(?:Is)?(\w+)\}")
_QUOTED = re.compile(r"\\Q(.*?)(?:\\E|$)", re.DOTALL)
_SPECIAL = frozenset("*+?()[]{}|^$\\")


@lru_cache(maxsize=4096)
def pattern(text: str) -> re.Pattern[str] | None:
    """None for what is not a regular expression, or one that only Java understands."""
    text = _QUOTED.sub(lambda m: re.escape(m[1]), text)
    text = _NAMED.sub(r"(?P<\1>", text)
    text = _CLASS.sub(lambda m: _posix(m, text), text)
    try:
        return re.compile(text)
    except (re.error, RecursionError, OverflowError):
        return None


def _posix(match: re.Match[str], text: str) -> str:
    signs = _CLASSES.get(match[1])
    if signs is None:
        return match[0]
    inside = text.rfind("[", 0, match.start()) > text.rfind("]", 0, match.start())
    return signs if inside else f"[{signs}]"


def route(regex: re.Pattern[str], replacement: str, topic: str) -> str | None:
    """As RegexRouter does it: the whole topic must match, then the first match is replaced, which may be a shorter
    one. None where it does not match; an error of the replacement is a ValueError."""
    if regex.fullmatch(topic) is None:
        return None
    match = regex.search(topic)
    assert match is not None
    return topic[: match.start()] + _expand(match, replacement) + topic[match.end() :]


def _expand(match: re.Match[str], text: str) -> str:
    out: list[str] = []
    at = 0
    while at < len(text):
        sign = text[at]
        at += 1
        if sign == "\\":
            if at == len(text):
                raise ValueError("the replacement ends in a backslash")
            out.append(text[at])
            at += 1
        elif sign != "$":
            out.append(sign)
        elif text[at : at + 1] == "{":
            name, _, _ = text[at + 1 :].partition("}")
            if name not in match.re.groupindex:
                raise ValueError(f"the expression has no group {name!r}")
            out.append(match[name] or "")
            at += len(name) + 2
        else:
            number, at = _group(match, text, at)
            out.append(match[number] or "")
    return "".join(out)


def _group(match: re.Match[str], text: str, at: int) -> tuple[int, int]:
    """The longest number that names a group; the first digit must."""
    if not text[at : at + 1].isdigit():
        raise ValueError("a $ in the replacement is followed by no group")
    number = int(text[at])
    if number > match.re.groups:
        raise ValueError(f"the expression has no group {number}")
    at += 1
    while text[at : at + 1].isdigit() and number * 10 + int(text[at]) <= match.re.groups:
        number = number * 10 + int(text[at])
        at += 1
    return number, at


def literal(text: str) -> str | None:
    """The one name that an entry of a list such as `table.include.list` stands for; None if it is a pattern.
    A dot between names is taken as a dot, though in Java it matches any character."""
    plain = text.strip().replace("\\.", ".").replace("\\$", "\0").replace("\\-", "-")
    return None if any(sign in _SPECIAL for sign in plain) else plain.replace("\0", "$")


def listed(text: str) -> list[str]:
    """The elements of a list option. A comma inside brackets belongs to an expression."""
    elements, start, depth = [], 0, 0
    for at, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth <= 0:
            elements.append(text[start:at].strip())
            start = at + 1
    elements.append(text[start:].strip())
    return [element for element in elements if element]
