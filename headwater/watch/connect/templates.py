"""Names from options: `s3://{s3.bucket.name}`, `{topics.dir|'topics'}/{topic}`, `{topic:lower}`.

Between braces stand names of options (or `topic`, `table`, parts of a table's name), of which the first that is set
is used; a text in quotes is the default; `:filters` follow. `<topic>` inside a name is filled in first:
`{topic.override.<topic>.collection}`.
"""

import re
from collections.abc import Callable, Mapping

_PLACE = re.compile(r"\{((?:'[^']*'|[^{}'])*)\}")
_INNER = re.compile(r"<([\w.]+)>")
# ${file:/secrets:bucket}: only the worker can look it up. ${topic} is something else.
_REFERENCE = re.compile(r"\$\{[^}:]+:[^}]*\}")


class Missing(Exception):
    """These options do not give a name; the text says why."""


def _stem(text: str, scope: Mapping[str, str]) -> str:
    """What all files of a topic have in common: the file name template up to what differs between them."""
    text = re.sub(r"\{\{\s*topic\s*\}\}", lambda _: scope.get("topic", ""), text)
    return text.partition("{{")[0].rstrip("-_/.")


def _filled(text: str, scope: Mapping[str, str]) -> str:
    return text.replace("${topic}", scope.get("topic", ""))


def _mapped(text: str, scope: Mapping[str, str]) -> str:
    """`expression=value, …`: the value for the topic."""
    for pair in text.split(","):
        expression, _, value = pair.strip().partition("=")
        if re.fullmatch(expression, scope.get("topic", "")):
            return value
    return text.partition("=")[2] or text


def _azure_account(text: str, scope: Mapping[str, str]) -> str:
    match = re.search(r"AccountName=([^;]+)", text)
    return match[1] if match else text


FILTERS: dict[str, Callable[[str, Mapping[str, str]], str]] = {
    "lower": lambda text, _: text.lower(),
    "upper": lambda text, _: text.upper(),
    "word": lambda text, _: re.sub(r"\W", "_", text, flags=re.ASCII),
    "first": lambda text, _: text.split(",")[0].strip(),
    "server": lambda text, _: text.split(",")[0].strip().rpartition("://")[2].rstrip("/"),
    "last": lambda text, _: text.rpartition(".")[2],
    "stem": _stem,
    "fill": _filled,
    "fill_word": lambda text, scope: text.replace("${topic}", scope.get("topic", "").replace(".", "_")),
    "trim": lambda text, _: text.strip("/"),
    "noslash": lambda text, _: text.rstrip("/"),
    "folders": lambda text, _: text.replace(".", "/"),
    "dotted": lambda text, _: f"{text}." if text else "",
    "separated": lambda text, scope: text + scope.get("topic.separator", ".") if text else "",
    "separated_end": lambda text, scope: scope.get("topic.separator", ".") + text if text else "",
    "mapped": _mapped,
    "azure_account": _azure_account,
    "snowflake": lambda text, _: (
        re.split("[:/]", re.sub(r"^\w+://", "", text))[0].removesuffix(".snowflakecomputing.com").lower()
    ),
    "slash": lambda text, _: text.strip("/") + "/" if text.strip("/") else "",
}


def fill(template: str, scope: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda match: _value(match[1], scope), template)


def _value(inside: str, scope: Mapping[str, str]) -> str:
    choices, filters = _parsed(inside)
    for quoted, name in choices:
        if name is None:
            value = quoted
        else:
            value = scope.get(_INNER.sub(lambda m: scope.get(m[1], ""), name), "")
            if not value:
                continue
            if _REFERENCE.search(value):
                raise Missing(f"the option {name} is {value}, which only the worker can look up")
        for filter_name in filters:
            value = FILTERS[filter_name](value, scope)
        return value
    names = [name for _, name in choices if name is not None]
    raise Missing(f"the option {' or '.join(names)} is not set")


def _parsed(inside: str) -> tuple[list[tuple[str, str | None]], list[str]]:
    quoted: list[str] = []

    def hide(match: re.Match[str]) -> str:
        quoted.append(match[0][1:-1])
        return f"'{len(quoted) - 1}'"

    bare = re.sub(r"'[^']*'", hide, inside)
    head, *filters = bare.split(":")
    choices: list[tuple[str, str | None]] = []
    for choice in head.split("|"):
        choice = choice.strip()
        choices.append((quoted[int(choice[1:-1])], None) if choice.startswith("'") else ("", choice))
    return choices, [name.strip() for name in filters]


def check(template: str) -> str | None:
    """What is wrong with a template; None if nothing is."""
    left = _PLACE.sub("", template)
    if "{" in left or "}" in left:
        return f"{template!r}: a brace is not closed"
    for match in _PLACE.finditer(template):
        choices, filters = _parsed(match[1])
        if any(name == "" for _, name in choices):
            return f"{template!r}: a name between braces is empty"
        unknown = [name for name in filters if name not in FILTERS]
        if unknown:
            return f"{template!r}: no filter {unknown[0]!r}; available: {', '.join(FILTERS)}"
    return None


def reverse(template: str, scope: Mapping[str, str], parts: Mapping[str, str], text: str) -> dict[str, str] | None:
    """The parts that make this text from the template; None if none do. `parts` has an expression for each."""
    regex, at, seen = "", 0, set()
    for match in _PLACE.finditer(template):
        regex += re.escape(template[at : match.start()])
        choices, filters = _parsed(match[1])
        name = choices[0][1]
        if name is not None and name in parts and not filters:
            regex += f"(?P={name})" if name in seen else f"(?P<{name}>{parts[name]})"
            seen.add(name)
        else:
            try:
                regex += re.escape(_value(match[1], scope))
            except Missing:
                return None
        at = match.end()
    matched = re.fullmatch(regex + re.escape(template[at:]), text)
    return {name: value for name, value in matched.groupdict().items() if value is not None} if matched else None
