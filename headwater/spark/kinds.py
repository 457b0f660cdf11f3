"""How one column comes from another: OpenLineage's kinds of transformation, as bits of a small number.

A column may reach another in several ways (`a + sum(a) over ()`), so there is a set of kinds, and a set is a number.
Along a chain kinds combine: the stronger of two direct ones stays, masked stays masked, and what is indirect once
stays so, with the name of its first step.
"""

from functools import cache
from typing import Any

IDENTITY, TRANSFORMATION, AGGREGATION = 1, 2, 4
MASKED = 3  # a direct kind is shifted by so many bits where the value is masked
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
    result = kinds & INDIRECT
    strength = step if step < 8 else step >> MASKED
    for shift in (0, MASKED):
        masking = MASKED if shift or step >= 8 else 0
        for kind in _DIRECT_NAMES:
            if kinds & kind << shift:
                result |= max(kind, strength) << masking
    return result


@cache
def only(kinds: int, indirect: int) -> int:
    """`kinds`, where the value is used only in this indirect way."""
    return kinds & INDIRECT | (indirect if kinds & DIRECT else 0)


@cache
def composed(inner: int, outer: int) -> int:
    """All kinds of `inner`, each followed by all of `outer`."""
    result = 0
    bit = 1
    while bit <= outer:
        if outer & bit:
            result |= then(inner, bit) if bit & DIRECT else only(inner, bit)
        bit <<= 1
    return result


@cache
def _described(kinds: int) -> tuple[tuple[str, str, bool], ...]:
    names = []
    for shift in (0, MASKED):
        for kind, name in _DIRECT_NAMES.items():
            if kinds & kind << shift:
                names.append(("DIRECT", name, bool(shift)))
    names += [("INDIRECT", name, False) for kind, name in _INDIRECT_NAMES.items() if kinds & kind]
    return tuple(names)


def transformations(kinds: int) -> list[dict[str, Any]]:
    """As OpenLineage writes them."""
    return [
        {"type": kind, "subtype": name, "description": "", "masking": masking}
        for kind, name, masking in _described(kinds)
    ]
