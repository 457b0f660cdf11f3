"""A graph as boxes and arrows, the same for every format."""

from dataclasses import dataclass
from typing import Any

from headwater.shapes.marquez import Graph, GraphNode

JOB, DATASET, COLUMN = "JOB", "DATASET", "DATASET_FIELD"


@dataclass(frozen=True)
class Box:
    id: str
    kind: str
    title: str
    place: str  # the namespace, or the dataset of a column
    state: str | None = None  # of a job's latest run


@dataclass(frozen=True)
class Arrow:
    origin: str
    destination: str
    indirect: bool = False  # between columns: values only filter, join, group or sort


@dataclass(frozen=True)
class Drawing:
    boxes: dict[str, Box]
    arrows: tuple[Arrow, ...]
    focus: frozenset[str] = frozenset()

    def into(self) -> dict[str, list[str]]:
        """Where arrows come from, for each box."""
        found: dict[str, list[str]] = {box: [] for box in self.boxes}
        for arrow in self.arrows:
            found[arrow.destination].append(arrow.origin)
        return found

    def out(self) -> dict[str, list[str]]:
        """Where arrows go to, for each box."""
        found: dict[str, list[str]] = {box: [] for box in self.boxes}
        for arrow in self.arrows:
            found[arrow.origin].append(arrow.destination)
        return found

    def downstream(self) -> "Drawing":
        """Only what is in focus and what it reaches."""
        out, reached = self.out(), set(self.focus)
        waiting = list(self.focus)
        while waiting:
            for other in out[waiting.pop()]:
                if other not in reached:
                    reached.add(other)
                    waiting.append(other)
        arrows = tuple(a for a in self.arrows if a.origin in reached and a.destination in reached)
        return Drawing({box: self.boxes[box] for box in self.boxes if box in reached}, arrows, self.focus)


def drawing_of(graph: Graph, focus: str | None = None) -> Drawing:
    boxes = {node.id: _box(node) for node in graph.graph}
    told = {(edge.origin, edge.destination) for node in graph.graph for edge in node.outEdges}
    direct = {pair for node in graph.graph if node.type == COLUMN for pair in _direct(node)}
    arrows = tuple(
        Arrow(origin, destination, boxes[destination].kind == COLUMN and (origin, destination) not in direct)
        for origin, destination in sorted(told)
        if origin in boxes and destination in boxes
    )
    return Drawing(boxes, arrows, _focus(boxes, focus))


def _focus(boxes: dict[str, Box], focus: str | None) -> frozenset[str]:
    """The box that was asked about; with columns, those of the dataset that was."""
    if focus is None or focus in boxes:
        return frozenset((focus,)) if focus else frozenset()
    of_dataset = focus.replace("dataset:", "datasetField:", 1) + ":"
    return frozenset(b.id for b in boxes.values() if b.id == f"{of_dataset}{b.title}")


def _box(node: GraphNode) -> Box:
    data = node.data
    if node.type == COLUMN:
        return Box(node.id, COLUMN, data["field"], data["dataset"])
    run: dict[str, Any] = data.get("latestRun") or {}
    # A child job's name repeats its parent's: what differs is the rest.
    return Box(node.id, node.type, data.get("simpleName") or data["name"], data["namespace"], run.get("state"))


def _direct(node: GraphNode) -> list[tuple[str, str]]:
    """Arrows into a column along which values travel, or of which nothing is said."""
    found = []
    for field in node.data["inputFields"]:
        kinds = {step.get("type") for step in field.get("transformations") or ()}
        if kinds != {"INDIRECT"}:
            found.append((f"datasetField:{field['namespace']}:{field['dataset']}:{field['field']}", node.id))
    return found
