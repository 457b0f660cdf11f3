"""A layered layout, from left to right: longest paths make the layers, barycenters the order.

Enough for the graphs that people put into a document. An arrow over several layers passes
through a point in each of them, so that it does not run behind boxes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from headwater.draw.drawing import Arrow, Drawing

_SWEEPS = 12  # barycenters settle long before


@dataclass(frozen=True)
class Layout:
    layers: list[list[str]]  # boxes and points, from top to bottom
    routes: dict[Arrow, list[str]]  # each arrow's stations: boxes at the ends, points between


def layout_of(drawing: Drawing) -> Layout:
    forward = _without_cycles(drawing)
    rank = _ranks(drawing, forward)
    layers: list[list[str]] = [[] for _ in range(max(rank.values(), default=-1) + 1)]
    for box in _in_groups(drawing):
        layers[rank[box]].append(box)
    routes: dict[Arrow, list[str]] = {}
    before: dict[str, list[str]] = {box: [] for box in drawing.boxes}
    after: dict[str, list[str]] = {box: [] for box in drawing.boxes}
    for number, (arrow, (left, right)) in enumerate(forward.items()):
        stations = [left]
        for layer in range(rank[left] + 1, rank[right]):
            point = f"\0{number}.{layer}"
            layers[layer].append(point)
            before[point], after[point] = [], []
            stations.append(point)
        stations.append(right)
        for one, other in pairwise(stations):
            after[one].append(other)
            before[other].append(one)
        routes[arrow] = stations if left == arrow.origin else stations[::-1]
    _sort(layers, before, after)
    return Layout(layers, routes)


def _in_groups(drawing: Drawing) -> list[str]:
    """Columns of one dataset begin side by side."""
    return sorted(drawing.boxes, key=lambda box: (drawing.boxes[box].place, drawing.boxes[box].title))


def _without_cycles(drawing: Drawing) -> dict[Arrow, tuple[str, str]]:
    """Each arrow from left to right; those that would close a cycle are turned round."""
    out = drawing.destinations()
    finished: dict[str, bool] = {}
    back: set[tuple[str, str]] = set()
    for start in drawing.boxes:
        if start in finished:
            continue
        finished[start] = False
        trail = [(start, iter(out[start]))]
        while trail:
            box, rest = trail[-1]
            follower = next(rest, None)
            if follower is None:
                finished[box] = True
                trail.pop()
            elif follower not in finished:
                finished[follower] = False
                trail.append((follower, iter(out[follower])))
            elif not finished[follower]:
                back.add((box, follower))
    return {
        a: (a.destination, a.origin) if (a.origin, a.destination) in back else (a.origin, a.destination)
        for a in drawing.arrows
        if a.origin != a.destination
    }


def _ranks(drawing: Drawing, forward: dict[Arrow, tuple[str, str]]) -> dict[str, int]:
    """Every box right of all that point to it; those that nothing points to, next to what they feed."""
    out: dict[str, list[str]] = {box: [] for box in drawing.boxes}
    waiting = dict.fromkeys(drawing.boxes, 0)
    for left, right in forward.values():
        out[left].append(right)
        waiting[right] += 1
    ready = [box for box, count in waiting.items() if not count]
    rank = dict.fromkeys(drawing.boxes, 0)
    while ready:
        box = ready.pop()
        for follower in out[box]:
            rank[follower] = max(rank[follower], rank[box] + 1)
            waiting[follower] -= 1
            if not waiting[follower]:
                ready.append(follower)
    fed = {right for _, right in forward.values()}
    for box, followers in out.items():
        if followers and box not in fed:
            rank[box] = min(rank[f] for f in followers) - 1
    return rank


def _sort(layers: list[list[str]], before: dict[str, list[str]], after: dict[str, list[str]]) -> None:
    """Puts each box at the middle of its neighbours, sweeping right, then left, and again."""
    at = {box: number for layer in layers for number, box in enumerate(layer)}
    for sweep in range(_SWEEPS):
        rightwards = sweep % 2 == 0
        neighbours = before if rightwards else after
        for layer in layers if rightwards else reversed(layers):
            layer.sort(key=_middle(neighbours, at))
            at.update((box, number) for number, box in enumerate(layer))


def _middle(neighbours: dict[str, list[str]], at: dict[str, int]) -> Callable[[str], float]:
    def key(box: str) -> float:
        places = [at[n] for n in neighbours[box]]
        return sum(places) / len(places) if places else at[box]

    return key
