"""A lineage graph as a tree: where a node comes from, and where it goes."""

from collections.abc import Callable, Iterable

from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from headwater.draw.drawing import COLUMN, Box, Drawing
from headwater.show.format import node, plural, state


def tree(drawing: Drawing, direction: str) -> RenderableType:
    """One tree for each node in focus. The branches of a node are shown only where it appears first."""
    roots = [box for box in drawing.boxes if box in drawing.focus]
    if not roots:
        return Text("not in the graph at that time", "dim")
    parts: list[RenderableType] = []
    reached: set[str] = set(roots)
    for root in roots:
        top = Tree(_label(drawing.boxes[root]), guide_style="dim")
        sides = [
            ("comes from", drawing.origins(), direction != "downstream"),
            ("goes to", drawing.destinations(), direction != "upstream"),
        ]
        for title, follow, shown in sides:
            if shown and follow[root]:
                _grow(top.add(Text(title, "italic dim")), root, drawing, follow.__getitem__, reached)
        if len(drawing.boxes) == 1:
            top.add(Text("nothing upstream, nothing downstream", "dim"))
        parts.append(top)
    others = len(drawing.boxes) - len(reached)
    if others:
        parts.append(Text(f"and {plural(others, 'node')} connected through shared inputs or outputs", "dim"))
    return Group(*parts)


def path(drawing: Drawing, origin: str, destination: str) -> RenderableType:
    """What lies between two nodes, whichever of them is upstream."""
    if not drawing.boxes:
        return Text.assemble("no path between ", node(origin), " and ", node(destination))
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
