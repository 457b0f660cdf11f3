"""Connectors that people run, from their configurations to datasets and columns: `cases/*.txt`."""

import pytest

from headwater.watch.connect import mapping
from tests.unit.watch.connect import notation

CASES = notation.read()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.where}: {case.title}")
def test_lineage_of(case: notation.Case) -> None:
    found = notation.run(case)
    notes = [line.removeprefix("note ") for line in case.expected if line.startswith("note ")]
    assert notation.told(found, case) == [line for line in case.expected if not line.startswith("note ")]
    assert len(found.notes) == len(notes), found.notes
    for note in notes:
        assert any(note in told for told in found.notes), (note, found.notes)


def test_every_known_class_has_a_case() -> None:
    used = {case.config.get("connector.class") for case in CASES}
    described = {frozenset(connector.classes) for connector in mapping.described()}
    without = [sorted(classes)[0] for classes in described if not classes & used]
    assert without == []
