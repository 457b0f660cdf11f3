"""Events for properties: any JSON in any layout, right ones and broken ones."""

import json
import random
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

Json = dict[str, Any]

# What JSON libraries write: any text but halves of surrogate pairs, any number but NaN.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
numbers = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=8,
)

# A few bodies that come again and again and lie in each other, as facets do in real events.
_long = {"_producer": "https://example.test/producer", "_schemaURL": "https://example.test/schema.json"}
_usual = st.sampled_from(
    [_long, {**_long, "inner": _long}, {**_long, "a": 1}, {"a": {**_long, "a": 1}, "b": _long}, {"short": 1}, {}]
)
facets = st.dictionaries(
    st.sampled_from(["schema", "symlinks", "own", "é", "a.b"]),
    st.one_of(_usual, st.dictionaries(texts, values, max_size=3)),
    max_size=3,
)
names = texts.filter(lambda name: name != "")
datasets = st.fixed_dictionaries(
    {"namespace": texts, "name": names},
    optional={"facets": facets, "inputFacets": facets, "outputFacets": facets, "extra": values},
)
runs = st.fixed_dictionaries({"runId": names}, optional={"facets": facets, "extra": values})
jobs = st.fixed_dictionaries({"namespace": texts, "name": names}, optional={"facets": facets, "extra": values})
_time = {"eventTime": st.just("2026-03-02T10:00:00.123Z")}
_common = {"producer": texts, "schemaURL": texts, "extra": st.one_of(values, facets)}
_listed = {"inputs": st.lists(datasets, max_size=3), "outputs": st.lists(datasets, max_size=3)}
_type = {"eventType": st.sampled_from(["START", "RUNNING", "COMPLETE", "FAIL", "ABORT", "OTHER"])}
events: st.SearchStrategy[Json] = st.one_of(
    st.fixed_dictionaries({**_time, "run": runs, "job": jobs}, optional={**_common, **_listed, **_type}),
    st.fixed_dictionaries({**_time, "job": jobs}, optional={**_common, **_listed}),
    st.fixed_dictionaries({**_time, "dataset": datasets}, optional=_common),
)


def written(value: Any, rng: random.Random) -> str:
    """JSON as anyone might write it: keys in any order, some twice, odd spaces, odd escapes."""
    space = rng.choice(["", "", " ", "\n\t", "  \r\n"])
    if isinstance(value, dict):
        items = list(value.items())
        rng.shuffle(items)
        if items and rng.random() < 0.2:
            items.insert(0, rng.choice(items))  # the later one of two equal keys counts
        pairs = [f"{written(k, rng)}{space}:{space}{written(v, rng)}" for k, v in items]
        return "{" + space + f"{space},".join(pairs) + space + "}"
    if isinstance(value, list):
        return "[" + space + f",{space}".join(written(v, rng) for v in value) + space + "]"
    if isinstance(value, str) and rng.random() < 0.2:
        units = value.encode("utf-16-be")
        return '"' + "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2)) + '"'
    return json.dumps(value, ensure_ascii=rng.random() < 0.5)


@st.composite
def event_texts(draw: st.DrawFn) -> bytes:
    event = draw(events)
    rng = random.Random(draw(st.integers(0, 2**32)))
    layout = draw(st.sampled_from(["odd", "compact", "indented"]))
    if layout == "odd":
        return written(event, rng).encode()
    return json.dumps(event, indent=2 if layout == "indented" else None, ensure_ascii=rng.random() < 0.5).encode()


@st.composite
def broken_texts(draw: st.DrawFn) -> bytes:
    """An event's text with bytes changed, cut out, put in, or the end missing."""
    text = bytearray(draw(event_texts()))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        match draw(st.sampled_from(["change", "cut", "put", "end"])):
            case "change":
                text[at : at + 1] = draw(st.binary(min_size=1, max_size=1))
            case "cut":
                del text[at : at + draw(st.integers(1, 9))]
            case "put":
                pieces = [b"{", b"}", b'"', b",", b"null", b"0", b"\x00", b"\\", b"\xff", b"[[["]
                text[at:at] = draw(st.sampled_from(pieces))
            case _:
                del text[at:]
    return bytes(text)


@st.composite
def misshapen_events(draw: st.DrawFn) -> bytes:
    """An event with any of its values replaced by any other."""
    # Copies: what is drawn may be one object that later draws share, and this changes it in place.
    event = deepcopy(draw(events))
    for _ in range(draw(st.integers(1, 3))):
        holder: Any = event
        while True:
            keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if isinstance(holder[key], dict | list) and draw(st.booleans()):
                holder = holder[key]
                continue
            holder[key] = deepcopy(draw(values))
            break
    return json.dumps(event).encode()
