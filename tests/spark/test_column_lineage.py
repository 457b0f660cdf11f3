"""Every construct of Spark SQL that a data engineer uses: the cases are in `cases/`, and need no code."""

import ast
from pathlib import Path
from typing import Any

import pytest

from headwater.spark import lineage
from tests.spark import notation

CASES = [case for file in sorted((Path(__file__).parent / "cases").glob("*.txt")) for case in notation.read(file)]


def frame(case: notation.Case, world: dict[str, Any]) -> Any:
    if not case.is_program:
        return world["spark"].sql(case.asked)
    tree = ast.parse("\n".join(case.program))
    last = tree.body.pop()
    assert isinstance(last, ast.Expr), "the last line is the DataFrame"
    names = dict(world)
    exec(compile(tree, case.title, "exec"), names)
    return eval(compile(ast.Expression(last.value), case.title, "eval"), names)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_case(case: notation.Case, world: dict[str, Any]) -> None:
    found = lineage(frame(case, world))
    if case.as_topic:
        found = found.as_records()
    assert notation.shown(notation.written(found.facet, found.unknown)) == notation.shown(case.expected)


def test_titles_are_different() -> None:
    titles = [case.title for case in CASES]
    assert len(titles) == len(set(titles))
