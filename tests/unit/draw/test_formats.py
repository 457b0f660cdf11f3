"""DOT, Mermaid and SVG of a drawing."""

import xml.etree.ElementTree as ET

import pytest

from headwater.draw.drawing import Box, Drawing, drawing_of
from headwater.draw.svg import svg
from headwater.draw.text import dot, mermaid
from tests.support.graphs import columns, graph

PIPELINE = drawing_of(
    graph(("d:orders", "j:load"), ("j:load", "d:lake"), states={"j:load": "FAILED"}), "dataset:ns:orders"
)
ODD = 'a"b]<script>&amp;\\n#;\n`|'


def test_dot_has_every_box_and_arrow() -> None:
    assert dot(PIPELINE) == (
        "digraph lineage {\n"
        "  rankdir=LR;\n"
        '  node [fontname="sans-serif", fontsize=11];\n'
        '  "dataset:ns:orders" [label="orders\\nns", shape=cylinder, penwidth=3];\n'
        '  "job:ns:load" [label="load\\nns\\nFAILED", shape=box, style=rounded, color="#c62828"];\n'
        '  "dataset:ns:lake" [label="lake\\nns", shape=cylinder];\n'
        '  "dataset:ns:orders" -> "job:ns:load";\n'
        '  "job:ns:load" -> "dataset:ns:lake";\n'
        "}\n"
    )


def test_mermaid_has_every_box_and_arrow() -> None:
    assert mermaid(PIPELINE) == (
        "flowchart LR\n"
        '  n0[("orders<br/>ns")]\n'
        '  n1(["load<br/>ns<br/>FAILED"])\n'
        '  n2[("lake<br/>ns")]\n'
        "  n0 --> n1\n"
        "  n1 --> n2\n"
        "  classDef FAILED stroke:#c62828,stroke-width:2px\n"
        "  class n1 FAILED\n"
    )


def test_indirect_use_is_dashed() -> None:
    edge = ("orders.day", "stats.total")
    drawn = drawing_of(columns(edge, indirect=(edge,)))
    assert "[style=dashed]" in dot(drawn)
    assert "n0 -.-> n1" in mermaid(drawn)
    assert 'class="a i"' in svg(drawn)


def test_svg_is_xml_with_a_box_for_each_node_inside_the_picture() -> None:
    root = ET.fromstring(svg(PIPELINE))
    space = "{http://www.w3.org/2000/svg}"
    groups = root.findall(f"{space}g")
    titles = [group.findtext(f"{space}title") for group in groups]
    assert titles == ["dataset:ns:orders", "job:ns:load\nFAILED", "dataset:ns:lake"]
    width, height = float(root.get("width", "")), float(root.get("height", ""))
    lefts = []
    for box in (group.find(f"{space}rect") for group in groups):
        assert box is not None
        left, top = float(box.get("x", "")), float(box.get("y", ""))
        assert left >= 0
        assert left + float(box.get("width", "")) <= width
        assert top >= 0
        assert top + float(box.get("height", "")) <= height
        lefts.append(left)
    assert lefts == sorted(set(lefts))
    assert len(root.findall(f"{space}path")) == 2


def test_long_names_are_shortened_in_the_picture_and_whole_in_the_title() -> None:
    name = "team_orders_" + "x" * 100 + "_daily"
    drawn = svg(drawing_of(graph(alone=(f"j:{name}",))))
    root = ET.fromstring(drawn)
    texts = [text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert all(len(text) < 60 for text in texts)
    assert any(text.startswith("team_") and text.endswith("_daily") for text in texts)
    assert f"job:ns:{name}" in drawn


def test_odd_names_break_no_format() -> None:
    odd = Drawing({"x": Box("x", "JOB", ODD, ODD, None)}, ())
    assert len(ET.fromstring(svg(odd)).findall("{http://www.w3.org/2000/svg}g")) == 1
    label = mermaid(odd).splitlines()[1]
    assert label.count('"') == 2
    assert "<script>" not in label
    line = next(line for line in dot(odd).splitlines() if "shape=" in line)
    assert line.replace("\\\\", "").replace('\\"', "").count('"') == 4


@pytest.mark.parametrize("draw", [dot, mermaid, svg])
def test_an_empty_graph_can_be_drawn(draw: object) -> None:
    assert callable(draw)
    assert draw(Drawing({}, ())).endswith("\n")
