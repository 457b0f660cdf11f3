"""Cases of column lineage as text: a query, and where its columns come from.

    == a join by a column of each side
    select o.price, c.name from orders o join customers c on o.customer_id = c.id
    --
    price <- orders.price
    name <- customers.name
    rows <- orders.customer_id:join customers.id:join

After `:` stand the ways, joined by `+`: `same` (left out when it is the only one), `trans`, `agg`, with a
`!` when masked, and `join`, `group`, `filter`, `sort`, `window`, `cond` for `rows`. A program instead of
SQL has `>>> ` before each line; the last line is the DataFrame. A statement that writes is checked for what it
writes; `into <- name` is where. `topic` instead of `--` asks for the columns
of the topic that the records are written to. `unknown <- text` is what could not be understood.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple

_DIRECT = {"IDENTITY": "same", "TRANSFORMATION": "trans", "AGGREGATION": "agg"}
_INDIRECT = {
    "JOIN": "join",
    "GROUP_BY": "group",
    "FILTER": "filter",
    "SORT": "sort",
    "WINDOW": "window",
    "CONDITIONAL": "cond",
}


class Case(NamedTuple):
    title: str
    query: str
    expected: dict[str, set[str]]
    as_topic: bool

    @property
    def is_program(self) -> bool:
        return self.query.startswith(">>> ")

    @property
    def program(self) -> list[str]:
        return [line.removeprefix(">>> ") for line in self.query.splitlines()]


def read(file: Path) -> list[Case]:
    cases = []
    for block in re.split(r"^== ", file.read_text(), flags=re.M)[1:]:
        title, _, rest = block.partition("\n")
        query, mark, answer = re.split(r"^(--|topic)$", rest, maxsplit=1, flags=re.M)
        expected: dict[str, set[str]] = {}
        for line in filter(str.strip, answer.splitlines()):
            name, _, inputs = line.partition("<-")
            as_it_is = name.strip() in ("unknown", "into")
            words = {inputs.strip()} if as_it_is else {_with_way(word) for word in inputs.split()}
            expected[name.strip()] = words
        cases.append(Case(title.strip(), query.strip(), expected, mark == "topic"))
    return cases


def _with_way(word: str) -> str:
    column, _, ways = word.partition(":")
    return f"{column}:{'+'.join(sorted((ways or 'same').split('+')))}"


def written(facet: dict[str, Any], unknown: tuple[str, ...] = ()) -> dict[str, set[str]]:
    """A facet in the same notation. Of a dataset's name the last part is enough here."""
    inputs = {name: {_input(i) for i in field["inputFields"]} for name, field in facet["fields"].items()}
    if facet["dataset"]:
        inputs["rows"] = {_input(i) for i in facet["dataset"]}
    if unknown:
        inputs["unknown"] = {"; ".join(unknown)}
    return inputs


def _input(field: dict[str, Any]) -> str:
    names = [
        (_DIRECT if t["type"] == "DIRECT" else _INDIRECT)[t["subtype"]] + ("!" if t["masking"] else "")
        for t in field["transformations"]
    ]
    return f"{field['name'].rpartition('/')[2]}.{field['field']}:{'+'.join(sorted(names))}"


def shown(inputs: dict[str, set[str]]) -> str:
    """As it would stand in a file."""
    return "\n".join(
        f"{name} <- {' '.join(sorted(word.removesuffix(':same') for word in words))}".rstrip()
        for name, words in inputs.items()
    )
