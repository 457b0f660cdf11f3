"""A lineage graph as a tree: what a node comes from, and where it goes."""

from collections.abc import Callable, Iterable

from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from headwater.draw.drawing import COLUMN, Box, Drawing
from headwater.show.words import many, node, state


def tree(drawing: Drawing, direction: str) -> RenderableType:
    """One tree for each node in focus. Where a node comes a second time, its branches are not
    shown again."""
    roots = [box for box in drawing.boxes if box in drawing.focus]
    if not roots:
        return Text("nothing is known of it at that time", "dim")
    parts: list[RenderableType] = []
    reached: set[str] = set(roots)
    for root in roots:
        top = Tree(_label(drawing.boxes[root]), guide_style="dim")
        sides = [
            ("comes from", drawing.into(), direction != "downstream"),
            ("goes to", drawing.out(), direction != "upstream"),
        ]
        for word, follow, wanted in sides:
            if wanted and follow[root]:
                _grow(top.add(Text(word, "italic dim")), root, drawing, follow.__getitem__, reached)
        if len(drawing.boxes) == 1:
            top.add(Text("nothing before it, nothing after it", "dim"))
        parts.append(top)
    beside = len(drawing.boxes) - len(reached)
    if beside:
        parts.append(Text(f"and {many(beside, 'node')} beside it, through shared neighbours", "dim"))
    return Group(*parts)


def way(drawing: Drawing, origin: str, destination: str) -> RenderableType:
    """What lies between two nodes, whichever of them is upstream."""
    if not drawing.boxes:
        return Text.assemble("no way leads from ", node(origin), " to ", node(destination), ", nor back")
    return tree(drawing, "both")


def _grow(branch: Tree, box: str, drawing: Drawing, follow: Callable[[str], Iterable[str]], reached: set[str]) -> None:
    """Without recursion: lineage can be deeper than Python's stack."""
    grown: set[str] = {box}
    waiting = [(branch, box)]
    while waiting:
        parent, at = waiting.pop()
        for other in sorted(follow(at)):
            label = _label(drawing.boxes[other])
            again = other in grown
            child = parent.add(label.append("  (see above)", "dim") if again and list(follow(other)) else label)
            reached.add(other)
            if not again:
                grown.add(other)
                waiting.append((child, other))


def _label(box: Box) -> Text:
    text = node(box.id, name=f"{box.place}:{box.title}" if box.kind == COLUMN else box.title)
    return Text.assemble(text, "  ", state(box.state)) if box.state else text
