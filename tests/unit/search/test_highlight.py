"""Hits are marked where they stand, and everything else is harmless HTML."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.ids import Micros, Node
from headwater.search.documents import JOB, Document
from headwater.search.highlight import highlights, is_close
from headwater.search.words import query_words


def document(name: str = "", **more: object) -> Document:
    return Document(Node(0), JOB, "ns", name, Micros(0), **{"aliases": [], **more})  # type: ignore[arg-type]


def marked(text: str, indexed: Document) -> list[tuple[str, str]]:
    return highlights(indexed, query_words(text))


def test_the_typed_part_of_each_word_is_marked() -> None:
    assert marked("supplier_st", document("default.supplier_stats")) == [
        ("name", "default.<em>supplier</em>_<em>st</em>ats")
    ]
    assert marked("ingest", document("ordersIngestion")) == [("name", "orders<em>Ingest</em>ion")]


def test_markup_in_names_is_escaped() -> None:
    indexed = document("<script>alert('orders')</script>", sql="a < b AND c & d")
    assert marked("orders", indexed) == [("name", "&lt;script&gt;alert('<em>orders</em>')&lt;/script&gt;")]
    assert marked("and", indexed) == [("sql", "a &lt; b <em>AND</em> c &amp; d")]


def test_fields_come_best_first_and_end_when_all_words_were_found() -> None:
    indexed = document("load", tags=["pii"], owners=["team:pii"], columns=["pii_flag"], sql="SELECT pii, price FROM x")
    assert marked("load pii price", indexed) == [
        ("name", "<em>load</em>"),
        ("tags", "<em>pii</em>"),
        ("owners", "team:<em>pii</em>"),
        ("columns", "<em>pii</em>_flag"),
        ("sql", "SELECT <em>pii</em>, <em>price</em> FROM x"),
    ]
    assert marked("load", indexed) == [("name", "<em>load</em>")]


def test_accents_and_other_scripts_are_marked_in_the_text_as_it_is() -> None:
    assert marked("cafe", document("Das Café")) == [("name", "Das <em>Café</em>")]
    assert marked("strasse", document("Hauptstraße Straße")) == [("name", "Hauptstraße <em>Straße</em>")]
    assert marked("明细", document("订单明细")) == [("name", "订单<em>明细</em>")]


def test_a_typo_marks_the_word_that_was_meant() -> None:
    assert marked("suplier", document("supplier_stats")) == [("name", "<em>supplier</em>_stats")]
    assert marked("supplierStats", document("supplier_stats")) == [("name", "<em>supplier</em>_<em>stats</em>")]


def test_of_a_long_text_a_piece_around_the_word_is_shown() -> None:
    text = "lorem ipsum " * 50 + "needle " + "dolor sit " * 50
    ((field, piece),) = marked("needle", document(description=text))
    assert field == "description"
    assert "<em>needle</em>" in piece
    assert piece.startswith("…")
    assert piece.endswith("…")
    assert len(piece) < 250


def test_only_some_of_many_columns_are_shown() -> None:
    assert len(marked("order", document(columns=[f"order_{n}" for n in range(100)]))) == 5


@pytest.mark.parametrize(
    ("text", "word", "close"),
    [
        ("supplier", "suplier", True),
        ("supplier", "suppplier", True),
        ("supplier", "supplyer", True),
        ("supplier", "suppleir", True),
        ("supplier", "supplier", True),
        ("supplier", "suppl", False),
        ("supplier", "sapplyer", False),
        ("ab", "ba", True),
    ],
)
def test_one_letter_more_less_other_or_swapped_is_close(text: str, word: str, close: bool) -> None:
    assert is_close(text, word, beginning=False) is close


def test_an_unfinished_word_is_close_to_a_beginning() -> None:
    assert is_close("supplier", "supli", beginning=True)
    assert not is_close("supplier", "sapli", beginning=True)


@given(st.text(), st.text())
def test_without_its_marks_a_highlight_is_a_piece_of_the_text(text: str, query: str) -> None:
    for _, piece in (highlight for highlight in marked(query, document(text)) if highlight[0] == "name"):
        bare = html.unescape(re.sub("</?em>", "", piece))
        assert bare.removeprefix("…").removesuffix("…") in text or bare in text
