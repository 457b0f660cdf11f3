"""Which expressions are too deep for Spark's JSON."""

from headwater.spark.plans import depth


def test_cases_beside_each_other_are_not_deep() -> None:
    assert depth("Project [CASE WHEN a THEN b END AS x, CASE WHEN c THEN d ELSE e END AS y]") == 1


def test_cases_inside_each_other_are() -> None:
    assert depth("CASE WHEN a THEN b ELSE CASE WHEN c THEN CASE WHEN d THEN e END END END") == 3


def test_functions_that_stand_for_an_expression_count_too() -> None:
    assert depth("nvl(nvl(a, b), nvl(upper(nullif(c, d)), e)) + nvl(f, g)") == 3
    assert depth("CASE WHEN nvl(a, b) THEN (((c + d) + e) + f) END") == 2
