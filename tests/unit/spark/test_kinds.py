"""How kinds of lineage combine along a chain."""

from headwater.spark.kinds import (
    AGGREGATION,
    CONDITIONAL,
    FILTER,
    IDENTITY,
    MASKED,
    TRANSFORMATION,
    WINDOW,
    composed,
    only,
    then,
    transformations,
)


def test_the_stronger_of_two_direct_steps_stays() -> None:
    steps = (IDENTITY, TRANSFORMATION, AGGREGATION)
    for one in steps:
        for other in steps:
            assert then(one, other) == max(one, other)


def test_masked_once_is_masked_for_ever() -> None:
    assert then(IDENTITY, TRANSFORMATION << MASKED) == TRANSFORMATION << MASKED
    assert then(TRANSFORMATION << MASKED, AGGREGATION) == AGGREGATION << MASKED
    assert then(IDENTITY | TRANSFORMATION << MASKED, TRANSFORMATION) == TRANSFORMATION | TRANSFORMATION << MASKED


def test_what_is_indirect_stays_so_under_its_first_name() -> None:
    assert then(WINDOW, AGGREGATION) == WINDOW
    assert only(WINDOW, FILTER) == WINDOW
    assert only(IDENTITY | WINDOW, FILTER) == WINDOW | FILTER


def test_ways_are_composed_each_with_each() -> None:
    assert composed(IDENTITY, TRANSFORMATION | CONDITIONAL) == TRANSFORMATION | CONDITIONAL
    assert composed(IDENTITY | AGGREGATION, IDENTITY) == IDENTITY | AGGREGATION


def test_they_are_written_as_openlineage_has_them() -> None:
    assert transformations(TRANSFORMATION << MASKED | FILTER) == [
        {"type": "DIRECT", "subtype": "TRANSFORMATION", "description": "", "masking": True},
        {"type": "INDIRECT", "subtype": "FILTER", "description": "", "masking": False},
    ]
