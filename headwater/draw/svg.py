"""A drawing as SVG: boxes in layers from left to right, arrows between them."""

from xml.sax.saxutils import escape, quoteattr

from headwater.draw.drawing import DATASET, JOB, Arrow, Box, Drawing
from headwater.draw.layers import Layout, layout_of
from headwater.draw.text import COLOURS

_WIDTH, _HEIGHT = 280, 48
_ACROSS, _DOWN = 90, 18  # between layers, and between boxes of a layer
_POINT = 10  # what an arrow that passes through a layer takes up there
_MARGIN = 20
_MOST_LETTERS = 33

_FILL = {JOB: "#eef4ff", DATASET: "#fff8e6"}
_STYLE = (
    "text{font-family:system-ui,sans-serif;fill:#1f2430}.t{font-size:12px;font-weight:600}"
    ".p{font-size:10px;fill:#6b7280}.a{fill:none;stroke:#8a94a6;stroke-width:1.5}.i{stroke-dasharray:5 4}"
)

Places = dict[str, tuple[float, float]]
"""The left end of each box or point, and its middle from the top."""


def svg(drawing: Drawing) -> str:
    layout = layout_of(drawing)
    places, width, height = _places(drawing, layout)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}">',
        f"<style>{_STYLE}</style>",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" fill="#8a94a6"/></marker></defs>',
        f'<rect width="{width:g}" height="{height:g}" fill="#ffffff"/>',
        *(_arrow(arrow, route, places) for arrow, route in layout.routes.items()),
        *(_box(box, *places[box.id], focus=box.id in drawing.focus) for box in drawing.boxes.values()),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _places(drawing: Drawing, layout: Layout) -> tuple[Places, float, float]:
    """Layers side by side, each centred on the tallest."""

    def tall(station: str) -> int:
        return _HEIGHT if station in drawing.boxes else _POINT

    heights = [sum(tall(s) + _DOWN for s in layer) - _DOWN for layer in layout.layers]
    tallest = max(heights, default=0)
    places: Places = {}
    for number, (layer, height) in enumerate(zip(layout.layers, heights, strict=True)):
        top = _MARGIN + (tallest - height) / 2
        for station in layer:
            places[station] = (_MARGIN + number * (_WIDTH + _ACROSS), top + tall(station) / 2)
            top += tall(station) + _DOWN
    width = 2 * _MARGIN + max(0, len(heights) * (_WIDTH + _ACROSS) - _ACROSS)
    return places, width, 2 * _MARGIN + max(tallest, 0)


def _arrow(arrow: Arrow, route: list[str], places: Places) -> str:
    """A curve from the right side of one box to the left side of the other, level through points."""
    rightwards = places[route[0]][0] < places[route[-1]][0]
    near, far = (_WIDTH, 0) if rightwards else (0, _WIDTH)
    x, y = places[route[0]][0] + near, places[route[0]][1]
    path = f"M{x:g} {y:g}"
    for station in route[1:]:
        to_x, to_y = places[station][0] + far, places[station][1]
        middle = (x + to_x) / 2
        path += f"C{middle:g} {y:g} {middle:g} {to_y:g} {to_x:g} {to_y:g}"
        if station != route[-1]:
            to_x = places[station][0] + near
            path += f"H{to_x:g}"
        x, y = to_x, to_y
    return f'<path class="a{" i" if arrow.indirect else ""}" d="{path}" marker-end="url(#head)"/>'


def _box(box: Box, left: float, middle: float, *, focus: bool) -> str:
    top = middle - _HEIGHT / 2
    colour = COLOURS.get(box.state or "", "#c3c9d4")
    outline = "#1f2430" if focus else colour
    tooltip = "\n".join([box.id, *((box.state,) if box.state else ())])
    place = f"{box.place} · {box.state}" if box.state else box.place
    return (
        f"<g><title>{escape(tooltip)}</title>"
        f'<rect x="{left:g}" y="{top:g}" width="{_WIDTH}" height="{_HEIGHT}" rx="{12 if box.kind == JOB else 3}" '
        f"fill={quoteattr(_FILL.get(box.kind, '#f4f0ff'))} stroke={quoteattr(outline)} "
        f'stroke-width="{2.5 if focus else 1.2}"/>'
        f'<text class="t" x="{left + 12:g}" y="{top + 21:g}">{escape(_fit(box.title, _MOST_LETTERS))}</text>'
        f'<text class="p" x="{left + 12:g}" y="{top + 37:g}">{escape(_fit(place, _MOST_LETTERS + 9))}</text></g>'
    )


def _fit(text: str, most: int) -> str:
    """Shortens in the middle and keeps more of the end, where long names differ."""
    clean = "".join(c for c in text if c.isprintable())
    if len(clean) <= most:
        return clean
    head = most // 3
    return f"{clean[:head]}…{clean[head + 1 - most :]}"
