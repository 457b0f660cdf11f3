"""Every construct of Spark SQL that a data engineer uses: the cases are in `cases/`, and need no code."""

import ast
from pathlib import Path
from typing import Any

import pytest

from headwater.spark import commands, lineage
from tests.spark import notation

CASES = [case for file in sorted((Path(__file__).parent / "cases").glob("*.txt")) for case in notation.read(file)]


def frame(case: notation.Case, world: dict[str, Any]) -> Any:
    if not case.is_program:
        return world["spark"].sql(case.query)
    tree = ast.parse("\n".join(case.program))
    last = tree.body.pop()
    assert isinstance(last, ast.Expr), "the last line is the DataFrame"
    names = dict(world)
    exec(compile(tree, case.title, "exec"), names)
    return eval(compile(ast.Expression(last.value), case.title, "eval"), names)


def answer(case: notation.Case, world: dict[str, Any]) -> dict[str, set[str]]:
    df = frame(case, world)
    written = commands.of_plan(df._jdf.queryExecution().analyzed(), world["spark"])
    if written is not None:
        into = {"into": {dataset.name.rpartition("/")[2] for dataset in written.sink.datasets}}
        return into | notation.written(written.lineage.facet, written.lineage.unknown)
    columns = lineage(df)
    if case.as_topic:
        columns = columns.as_records()
    return notation.written(columns.facet, columns.unknown)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_case(case: notation.Case, world: dict[str, Any]) -> None:
    assert notation.shown(answer(case, world)) == notation.shown(case.expected)


def test_titles_are_different() -> None:
    titles = [case.title for case in CASES]
    assert len(titles) == len(set(titles))
