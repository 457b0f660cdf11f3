"""Connectors that people run, from their configurations to datasets and columns: `cases/*.txt`."""

import pytest

from headwater.watch.connect import mapping
from tests.unit.watch.connect import notation

CASES = notation.read()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.where}: {case.title}")
def test_lineage_of(case: notation.Case) -> None:
    lineage = notation.run(case)
    notes = [line.removeprefix("note ") for line in case.expected if line.startswith("note ")]
    assert notation.notated(lineage, case) == [line for line in case.expected if not line.startswith("note ")]
    assert len(lineage.notes) == len(notes), lineage.notes
    for note in notes:
        assert any(note in text for text in lineage.notes), (note, lineage.notes)


def test_every_known_class_has_a_case() -> None:
    used = {case.config.get("connector.class") for case in CASES}
    described = {frozenset(connector.classes) for connector in mapping.own_connectors()}
    without = [sorted(classes)[0] for classes in described if not classes & used]
    assert without == []
