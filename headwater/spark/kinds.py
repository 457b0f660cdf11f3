"""How one column comes from another: the kinds of OpenLineage, as bits of a small number.

A column may reach another in several ways (`a + sum(a) over ()`), so a set of kinds is kept, and a set
is a number. Along a chain kinds combine: the stronger of two direct ones stays, masked stays masked,
and what is indirect once stays so, with the name of its first step.
"""

from functools import cache
from typing import Any

IDENTITY, TRANSFORMATION, AGGREGATION = 1, 2, 4
MASKED = 3  # by so many bits a direct kind is shifted where the value is hidden
JOIN, GROUP_BY, FILTER, SORT, WINDOW, CONDITIONAL = 64, 128, 256, 512, 1024, 2048
DIRECT, INDIRECT = 63, 4032

_DIRECT_NAMES = {IDENTITY: "IDENTITY", TRANSFORMATION: "TRANSFORMATION", AGGREGATION: "AGGREGATION"}
_INDIRECT_NAMES = {
    JOIN: "JOIN",
    GROUP_BY: "GROUP_BY",
    FILTER: "FILTER",
    SORT: "SORT",
    WINDOW: "WINDOW",
    CONDITIONAL: "CONDITIONAL",
}


@cache
def then(kinds: int, step: int) -> int:
    """`kinds`, followed by one more direct step."""
    found = kinds & INDIRECT
    strength = step if step < 8 else step >> MASKED
    for shift in (0, MASKED):
        hidden = MASKED if shift or step >= 8 else 0
        for kind in _DIRECT_NAMES:
            if kinds & kind << shift:
                found |= max(kind, strength) << hidden
    return found


@cache
def only(kinds: int, way: int) -> int:
    """`kinds`, where the value is used in this indirect way only."""
    return kinds & INDIRECT | (way if kinds & DIRECT else 0)


@cache
def composed(inner: int, outer: int) -> int:
    """All ways of `inner`, each followed by all of `outer`."""
    found = 0
    bit = 1
    while bit <= outer:
        if outer & bit:
            found |= then(inner, bit) if bit & DIRECT else only(inner, bit)
        bit <<= 1
    return found


@cache
def _described(kinds: int) -> tuple[tuple[str, str, bool], ...]:
    found = []
    for shift in (0, MASKED):
        for kind, name in _DIRECT_NAMES.items():
            if kinds & kind << shift:
                found.append(("DIRECT", name, bool(shift)))
    found += [("INDIRECT", name, False) for kind, name in _INDIRECT_NAMES.items() if kinds & kind]
    return tuple(found)


def transformations(kinds: int) -> list[dict[str, Any]]:
    """As OpenLineage writes them."""
    return [
        {"type": way, "subtype": name, "description": "", "masking": masking}
        for way, name, masking in _described(kinds)
    ]
