"""An event without its facets, and back again."""

import json
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.openlineage.event import content_id, decode
from headwater.openlineage.skeleton import Facet, cut_out, put_back, references
from tests.support import make
from tests.support.examples import examples
from tests.unit.openlineage import strategies as some

many = examples(200)


def facet(body: bytes) -> Facet:
    return Facet(content_id(body), body, content_id(body))


def back(skeleton: bytes, facets: Sequence[Facet]) -> bytes:
    return put_back(skeleton, {f.content_id: f.content for f in facets}.__getitem__)


LONG = facet(json.dumps(make.facet(x=1)).encode())
OTHER = facet(json.dumps(make.facet(x=2)).encode())
OUTER = facet(b'{"inner": ' + LONG.content + b', "more": ' + OTHER.content + b"}")
SHORT = facet(b'{"x":1}')


def test_a_facet_leaves_a_mark_with_its_content_id() -> None:
    skeleton = cut_out(b'{"a": ' + LONG.content + b"}", [LONG])
    assert skeleton == b'{"a": \x00%d\x00}' % LONG.content_id
    assert set(references(skeleton)) == {LONG.content_id}


def test_short_facets_stay_in_place() -> None:
    text = b'{"a": ' + SHORT.content + b"}"
    assert cut_out(text, [SHORT]) == text
    assert set(references(text)) == set()


def test_an_event_without_facets_is_its_own_skeleton() -> None:
    assert cut_out(b'{"a": 1}', []) == b'{"a": 1}'
    assert back(b'{"a": 1}', []) == b'{"a": 1}'


def test_a_facet_that_comes_twice_is_cut_out_twice() -> None:
    text = b"[" + LONG.content + b", " + LONG.content + b"]"
    skeleton = cut_out(text, [LONG, LONG])
    assert skeleton == b"[\x00%d\x00, \x00%d\x00]" % (LONG.content_id, LONG.content_id)
    assert back(skeleton, [LONG]) == text


@pytest.mark.parametrize("order", [[OUTER, LONG, OTHER], [OTHER, LONG, OUTER], [LONG, OUTER, OTHER]])
def test_of_facets_that_lie_in_each_other_the_outer_is_cut_out(order: list[Facet]) -> None:
    text = b'{"a": ' + OUTER.content + b"}"
    skeleton = cut_out(text, order)
    assert set(references(skeleton)) == {OUTER.content_id}
    assert back(skeleton, order) == text


def test_a_facet_that_also_lies_in_another_is_found_behind_it() -> None:
    text = b'{"a": ' + OUTER.content + b', "b": ' + LONG.content + b"}"
    for order in ([OUTER, LONG], [LONG, OUTER]):
        assert back(cut_out(text, order), order) == text
    assert set(references(cut_out(text, [OUTER, LONG]))) == {OUTER.content_id, LONG.content_id}


def test_a_facet_that_begins_like_another_is_told_apart() -> None:
    longer = facet(LONG.content[:-1] + b', "y": 2}')
    text = b"[" + longer.content + b"," + LONG.content + b"," + longer.content + b"]"
    for order in ([longer, LONG, longer], [LONG, longer, longer], [longer, longer, LONG]):
        assert back(cut_out(text, order), order) == text


def test_a_text_that_looks_like_a_facet_inside_a_string_is_no_harm() -> None:
    blank = facet(b"{" + b" " * 60 + b"}")
    text = b'{"note": "' + blank.content + b'", "a": ' + blank.content + b"}"
    assert back(cut_out(text, [blank]), [blank]) == text


def test_negative_content_ids_are_marks_too() -> None:
    bodies = [json.dumps(make.facet(x=n)).encode() for n in range(20)]
    facets = [facet(body) for body in bodies]
    assert min(f.content_id for f in facets) < 0 < max(f.content_id for f in facets)
    text = b"[" + b",".join(bodies) + b"]"
    skeleton = cut_out(text, facets)
    assert set(references(skeleton)) == {f.content_id for f in facets}
    assert back(skeleton, facets) == text


def test_the_facets_of_an_event_are_all_found() -> None:
    events = [
        make.run(
            "START", "load", inputs=[make.dataset(n, make.schema(n)) for n in "abc"], facets=make.parent("p", "r")
        ),
        make.job_event("load", facets={"own": make.facet(x=1)}, outputs=[make.dataset("a", make.schema("id"))]),
        make.dataset_event("a", facets=make.schema("id", "name")),
    ]
    for event in events:
        for keys in (list(event), sorted(event), sorted(event, reverse=True)):
            decoded = decode(json.dumps({key: event[key] for key in keys}).encode())
            assert set(references(decoded.skeleton)) == {f.content_id for f in decoded.facets}


pieces = st.sampled_from(
    [LONG.content, OTHER.content, OUTER.content, SHORT.content, b'{"y":[' + OUTER.content + b"]}", b'"x"', b"{}"]
)


@many
@given(st.lists(pieces, max_size=8), st.randoms(use_true_random=False))
def test_cutting_out_and_putting_back_changes_nothing(parts: list[bytes], rng: random.Random) -> None:
    """Whatever the facets are, in whatever order they come."""
    text = b"[" + b", ".join(parts) + b"]"
    facets = [facet(part) for part in parts if part.startswith(b"{")]
    rng.shuffle(facets)
    assert back(cut_out(text, facets), facets) == text


@many
@given(some.event_texts(), st.randoms(use_true_random=False))
def test_the_order_of_the_facets_does_not_matter_for_the_text(body: bytes, rng: random.Random) -> None:
    facets = list(decode(body).facets)
    rng.shuffle(facets)
    assert back(cut_out(body, facets), facets) == body


@many
@given(some.event_texts())
def test_what_a_skeleton_refers_to_is_among_the_facets(body: bytes) -> None:
    event = decode(body)
    assert set(references(event.skeleton)) <= {f.content_id for f in event.facets}
