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

    def origins(self) -> dict[str, list[str]]:
        """The origins of the arrows into each box."""
        origins: dict[str, list[str]] = {box: [] for box in self.boxes}
        for arrow in self.arrows:
            origins[arrow.destination].append(arrow.origin)
        return origins

    def destinations(self) -> dict[str, list[str]]:
        """The destinations of the arrows out of each box."""
        destinations: dict[str, list[str]] = {box: [] for box in self.boxes}
        for arrow in self.arrows:
            destinations[arrow.origin].append(arrow.destination)
        return destinations

    def downstream(self) -> "Drawing":
        """Only what is in focus and what it reaches."""
        return self._reached(self.destinations(), len(self.boxes))

    def nearest(self, most: int) -> "Drawing":
        """Only what is in focus and what is nearest to it, whichever way."""
        origins, destinations = self.origins(), self.destinations()
        return self._reached({box: [*origins[box], *destinations[box]] for box in self.boxes}, most)

    def _reached(self, follow: dict[str, list[str]], most: int) -> "Drawing":
        reached = dict.fromkeys(box for box in self.boxes if box in self.focus)
        waiting = list(reached)
        for box in waiting:  # grows during the loop, so the nearest come first
            for other in follow[box]:
                if other not in reached and len(reached) < most:
                    reached[other] = None
                    waiting.append(other)
        arrows = tuple(a for a in self.arrows if a.origin in reached and a.destination in reached)
        return Drawing({box: self.boxes[box] for box in self.boxes if box in reached}, arrows, self.focus)


def drawing_of(graph: Graph, focus: str | None = None) -> Drawing:
    boxes = {node.id: _box(node) for node in graph.graph}
    edges = {(edge.origin, edge.destination) for node in graph.graph for edge in node.outEdges}
    direct = {pair for node in graph.graph if node.type == COLUMN for pair in _direct(node)}
    arrows = tuple(
        Arrow(origin, destination, boxes[destination].kind == COLUMN and (origin, destination) not in direct)
        for origin, destination in sorted(edges)
        if origin in boxes and destination in boxes
    )
    return Drawing(boxes, arrows, _focus(boxes, focus))


def _focus(boxes: dict[str, Box], focus: str | None) -> frozenset[str]:
    """The box that the query is about; for the columns of a dataset, all of its boxes."""
    if focus is None or focus in boxes:
        return frozenset((focus,)) if focus else frozenset()
    of_dataset = focus.replace("dataset:", "datasetField:", 1) + ":"
    return frozenset(b.id for b in boxes.values() if b.id == f"{of_dataset}{b.title}")


def _box(node: GraphNode) -> Box:
    data = node.data
    if node.type == COLUMN:
        return Box(node.id, COLUMN, data["field"], data["dataset"])
    run: dict[str, Any] = data.get("latestRun") or {}
    # A child job's name repeats its parent's; the simple name is the rest.
    return Box(node.id, node.type, data.get("simpleName") or data["name"], data["namespace"], run.get("state"))


def _direct(node: GraphNode) -> list[tuple[str, str]]:
    """Arrows into a column along which values flow, or whose kind is not reported."""
    pairs = []
    for field in node.data["inputFields"]:
        kinds = {step.get("type") for step in field.get("transformations") or ()}
        if kinds != {"INDIRECT"}:
            pairs.append((f"datasetField:{field['namespace']}:{field['dataset']}:{field['field']}", node.id))
    return pairs
