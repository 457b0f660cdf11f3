"""Names fall into the parts that people remember of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.search.words import folded, namespace_term, plain_with_places, query_words, tails, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("default.supplier_stats", {"default", "supplier", "stats"}),
        ("ordersIngestion", {"ordersingestion", "orders", "ingestion"}),
        ("s3://warehouse/orders", {"s3", "s", "3", "warehouse", "orders"}),
        ("order_id", {"order", "id"}),
        ("orders-to-iceberg", {"orders", "to", "iceberg"}),
        ("orders2024", {"orders2024", "orders", "2024"}),
        ("HTTPServerLog", {"httpserverlog", "http", "server", "log"}),
        ("ORDER_ID", {"order", "id"}),
        ("Café Münster", {"cafe", "munster"}),
        ("Cafe\u0301", {"cafe"}),
        ("订单明细", {"订", "单", "明", "细"}),
        ("заказы_2024", {"заказы", "2024"}),
        ("🚀 -- !", set()),
        ("", set()),
    ],
)
def test_a_text_has_these_words(text: str, expected: set[str]) -> None:
    assert words([text]) == expected


def test_tails_of_a_name_begin_after_dots_slashes_and_colons() -> None:
    assert tails("demo.Default.orders") == {"default.orders", "orders"}
    assert tails("/lab/wh/orders") == {"lab/wh/orders", "wh/orders", "orders"}
    assert tails("orders") == set()
    assert tails("orders.") == set()


def test_only_the_last_word_of_a_question_may_be_unfinished() -> None:
    query = query_words("Supplier_stats orders_in")
    assert [(word.text, word.last) for word in query.words] == [
        ("supplier", False),
        ("stats", False),
        ("orders", False),
        ("in", True),
    ]
    assert query.whole == "supplier_stats orders_in"


def test_camel_case_in_a_question_is_also_read_in_parts() -> None:
    assert query_words("supplierStats").words[0].parts == ("supplier", "stats")
    assert query_words("v2").words[0].parts == ()


def test_typos_are_looked_for_in_words_of_five_letters_and_more() -> None:
    assert [word.may_have_a_typo for word in query_words("orders item p12345").words] == [True, False, False]


def test_a_huge_question_is_cut() -> None:
    query = query_words(" ".join(f"word{n}" for n in range(10_000)))
    assert len(query.words) == 24


@given(st.text())
def test_any_text_can_be_a_query_and_is_valid_unicode(text: str) -> None:
    query = query_words(text)
    for part in (query.whole, *(word.text for word in query.words), *words([text]), folded(text)):
        part.encode()
        assert "\n" not in part
    namespace_term(text + "\ud800").encode()


@given(st.text())
def test_every_letter_of_a_plain_text_knows_its_place(text: str) -> None:
    letters, places = plain_with_places(text)
    assert len(letters) == len(places)
    assert places == sorted(places)
    assert all(0 <= place < len(text) for place in places)
