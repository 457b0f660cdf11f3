import pytest

from headwater.watch.connect import java


@pytest.mark.parametrize(
    ("regex", "replacement", "topic", "routed"),
    [
        ("(.*)-v1", "$1", "orders-v1", "orders"),
        ("orders", "x", "orders-v1", None),
        ("a|ab", "X", "ab", "Xb"),  # the whole matches, but the first match is shorter
        ("(a)(b)?", "$1-$2", "a", "a-"),
        ("(o)rders", "$10", "orders", "o0"),  # there is no tenth group, so it is the first and a nought
        ("(?<shop>.+)\\.(?<what>.+)", "${what}.${shop}", "a.b", "b.a"),
        ("orders", "\\$1\\\\", "orders", "$1\\"),
        ("\\Qa.b\\E", "x", "a.b", "x"),
        ("\\Qa.b\\E", "x", "aXb", None),
        ("\\p{Alpha}+", "x", "orders", "x"),
        ("[\\p{Alpha}\\p{Digit}]+", "x", "orders1", "x"),
        ("ord*+ers", "x", "orders", "x"),
    ],
)
def test_topics_are_routed_as_java_does_it(regex: str, replacement: str, topic: str, routed: str | None) -> None:
    compiled = java.pattern(regex)
    assert compiled is not None
    assert java.route(compiled, replacement, topic) == routed


@pytest.mark.parametrize("replacement", ["$", "$x", "$2", "${no}", "a\\"])
def test_a_replacement_that_java_refuses(replacement: str) -> None:
    compiled = java.pattern("(a)")
    assert compiled is not None
    with pytest.raises(ValueError, match=r".+"):
        java.route(compiled, replacement, "a")


@pytest.mark.parametrize("regex", ["(", "[", "*", "\\p{IsGreek}"])
def test_what_is_no_expression_is_nothing(regex: str) -> None:
    assert java.pattern(regex) is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("public.orders", "public.orders"),
        ("public\\.orders", "public.orders"),
        ("A\\$B", "A$B"),
        ("public.(a|b)", None),
        ("public\\..*", None),
    ],
)
def test_an_expression_that_means_one_name(text: str, name: str | None) -> None:
    assert java.literal(text) == name


def test_a_comma_inside_an_expression_is_part_of_it() -> None:
    assert java.listed("a.b, c.(d|e){1,2} ,,f") == ["a.b", "c.(d|e){1,2}", "f"]
