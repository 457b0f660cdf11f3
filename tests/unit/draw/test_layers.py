"""The layout: who stands left of whom, and in which order."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from headwater.draw.drawing import Arrow, Box, Drawing, drawing_of
from headwater.draw.layers import layout_of
from tests.support.graphs import graph


def drawing(*edges: tuple[str, str], alone: tuple[str, ...] = ()) -> Drawing:
    names = dict.fromkeys([*(n for edge in edges for n in edge), *alone])
    return Drawing({n: Box(n, "JOB", n, "ns") for n in names}, tuple(Arrow(a, b) for a, b in dict.fromkeys(edges)))


def rank(drawn: Drawing) -> dict[str, int]:
    return {box: number for number, layer in enumerate(layout_of(drawn).layers) for box in layer if box in drawn.boxes}


def test_data_flows_from_left_to_right() -> None:
    where = rank(drawing_of(graph(("d:a", "j:x"), ("j:x", "d:b"), ("d:b", "j:y"))))
    assert where == {"dataset:ns:a": 0, "job:ns:x": 1, "dataset:ns:b": 2, "job:ns:y": 3}


def test_what_nothing_feeds_stands_next_to_what_it_feeds() -> None:
    where = rank(drawing(("a", "b"), ("b", "c"), ("c", "d"), ("create", "d")))
    assert where["create"] == where["d"] - 1


def test_an_arrow_over_several_layers_has_a_point_in_each() -> None:
    layout = layout_of(drawing(("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")))
    assert len(layout.routes[Arrow("a", "d")]) == 4
    assert [len(layer) for layer in layout.layers] == [1, 2, 2, 1]


def test_neighbours_come_to_stand_at_the_same_height() -> None:
    layers = layout_of(
        drawing(("a1", "b1"), ("a2", "b2"), ("a3", "b3"), ("b1", "c3"), ("b2", "c2"), ("b3", "c1"))
    ).layers
    first, second, third = ([name[1] for name in layer] for layer in layers)
    assert first == second
    assert [{"1": "3", "2": "2", "3": "1"}[n] for n in third] == second


def test_a_circle_is_drawn_too() -> None:
    layout = layout_of(drawing(("a", "b"), ("b", "c"), ("c", "a")))
    assert [len([s for s in layer if s in "abc"]) for layer in layout.layers] == [1, 1, 1]
    route = layout.routes[Arrow("c", "a")]
    assert (route[0], route[-1]) == ("c", "a")


def test_nothing_at_all_has_no_layers() -> None:
    assert layout_of(drawing()).layers == []


@given(st.sets(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh"))))
def test_every_box_stands_once_and_arrows_lead_from_layer_to_layer(edges: set[tuple[str, str]]) -> None:
    drawn = drawing(*sorted(edges), alone=tuple("abcdefgh"))
    layout = layout_of(drawn)
    stations = [station for layer in layout.layers for station in layer]
    assert len(stations) == len(set(stations))
    assert set(drawn.boxes) <= set(stations)
    at = {station: number for number, layer in enumerate(layout.layers) for station in layer}
    for arrow, route in layout.routes.items():
        assert (route[0], route[-1]) == (arrow.origin, arrow.destination)
        steps = {at[b] - at[a] for a, b in pairwise(route)}
        assert steps in ({1}, {-1})
