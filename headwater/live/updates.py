"""What one event changed, as plain facts.

Making these is part of taking an event in, whether anybody listens or not, so nothing is put
into words here: nodes are numbers, and `message.py` makes the JSON if someone asks for it.
Names are canonical as of the event, so the message is the same whenever it is made.
"""

import logging
from collections.abc import Container, Iterable

import msgspec

from headwater.ids import DELETED, Micros, Node, Position, RunId, Stamp
from headwater.interpret.datasets import SCHEMAS
from headwater.model.effects import (
    Altered,
    Appeared,
    ColumnsChanged,
    Effect,
    FacetSet,
    Linked,
    Overturned,
    Regrouped,
)
from headwater.model.entities import COLUMNS, LINEAGE, Dataset, edge_key
from headwater.model.state import State
from headwater.openlineage.event import Event, EventType

logger = logging.getLogger(__name__)

RunThen = tuple[RunId, Node, Stamp | None, Micros | None, bool, Stamp | None]
"""Id, job, first, started, active and ended of a run, as of an event."""

Pair = tuple[Node, Node]


class GraphNews(msgspec.Struct, frozen=True, gc=False):
    """What looks different now. A node that was added is named in no other list of nodes."""

    added: tuple[Node, ...]
    removed: tuple[Node, ...]  # they go by another name now
    linked: tuple[Pair, ...]
    unlinked: tuple[Pair, ...]
    schemas: tuple[Node, ...]
    columns: tuple[Node, ...]
    changed: tuple[Node, ...]
    moved: tuple[Pair, ...]  # from the canonical dataset of before to the one of now

    @property
    def weight(self) -> int:
        return sum(len(getattr(self, name)) for name in self.__struct_fields__)


class Note(msgspec.Struct, frozen=True, gc=False):
    position: Position
    time: Micros
    kind: EventType | None  # None: what people changed through the API
    run: RunThen | None
    run_before: tuple[bool, Stamp | None] | None  # active and ended; None for a run that is new
    job: Node | None
    dataset: Node | None  # of a dataset event
    inputs: tuple[Node, ...]
    outputs: tuple[Node, ...]
    graph: GraphNews | None
    weight: int  # how many nodes it names, about: what its memory depends on


class News:
    """Watches one event after the other go into the state."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._happened: list[Effect] = []
        state.effects = self._happened
        self._run_before: tuple[bool, Stamp | None] | None = None
        self._notes: list[Note] = []
        self._complete = True

    def before(self, event: Event) -> None:
        """To be called when the event's run is at hand."""
        run = self._state.runs.get(event.run) if event.run is not None else None
        self._run_before = None if run is None or run.first is None else (run.active, run.ended)

    def after(self, position: Position, event: Event) -> None:
        try:
            self._notes.append(self._note(position, event))
            self._look_for_what_cannot_be_told()
        except Exception:  # a mistake of ours must keep no event out
            logger.exception("what event %d changed cannot be told", position)
            self._complete = False
        self._happened.clear()

    def after_edit(self, position: Position, at: Micros) -> None:
        graph = graph_news(self._state, self._happened) if self._happened else None
        weight = 0 if graph is None else graph.weight
        self._notes.append(Note(position, at, None, None, None, None, None, (), (), graph, weight))
        self._look_for_what_cannot_be_told()
        self._happened.clear()

    def _look_for_what_cannot_be_told(self) -> None:
        gone = self._state.gone
        if self._happened and any(_is_overturned(one, gone) for one in self._happened):
            self._complete = False

    def take(self) -> list[Note] | None:
        """What is new since the last time; None if that cannot be told."""
        notes, self._notes = self._notes, []
        complete, self._complete = self._complete, True
        return notes if complete else None

    def _note(self, position: Position, event: Event) -> Note:
        state, datasets, canonical = self._state, self._state.datasets, self._state.aliases.canonical
        job, mention, run_id = event.job, event.dataset, event.run
        run = state.runs[run_id] if run_id is not None else None
        inputs = tuple([canonical(datasets[m.namespace][m.name]) for m in event.inputs])
        outputs = tuple([canonical(datasets[m.namespace][m.name]) for m in event.outputs])
        graph = graph_news(state, self._happened) if self._happened else None
        return Note(
            position,
            event.time,
            event.type,
            None if run is None else (run.id, run.job, run.first, run.started, run.active, run.ended),
            self._run_before,
            None if job is None else state.jobs[job[0]][job[1]],
            None if mention is None else canonical(datasets[mention.namespace][mention.name]),
            inputs,
            outputs,
            graph,
            len(inputs) + len(outputs) + (0 if graph is None else graph.weight),
        )


def _is_overturned(one: Effect, gone: Container[Node]) -> bool:
    """Whether it takes more than this happening to know what is shown."""
    match one:
        case Overturned():
            return True
        case Appeared() | Regrouped():
            return one.node in gone
        case Linked():
            return one.src in gone or one.dst in gone
        case _:
            return False


def graph_news(state: State, happened: Iterable[Effect]) -> GraphNews | None:
    """What comes of rare happenings for those who see only canonical names."""
    appeared: set[Node] = set()
    linked: set[Pair] = set()
    before: dict[Node, Node] = {}
    schemas: dict[Node, None] = {}
    columns: dict[Node, None] = {}
    changed: dict[Node, None] = {}
    for one in happened:
        match one:
            case Appeared():
                appeared.add(one.node)
            case Linked():
                linked.add((one.src, one.dst))
            case Regrouped():
                before.setdefault(one.node, one.before)
                changed[one.node] = None
            case ColumnsChanged():
                columns[one.node] = None
            case Altered():
                changed[one.node] = None
            case Overturned():
                pass  # whoever listens is told to ask again
            case FacetSet():
                kind = _told_by(state, one)
                if kind == _SCHEMA:
                    schemas[one.node] = None
                elif kind == _COLUMNS:
                    columns[one.node] = None
                elif kind == _OTHER:
                    changed[one.node] = None
    added, removed = _nodes_that_differ(state, appeared, before)
    new, gone = _edges_that_differ(state, linked, before)
    canonical = state.aliases.canonical

    def shown(nodes: Iterable[Node]) -> tuple[Node, ...]:
        return tuple(n for n in dict.fromkeys(map(canonical, nodes)) if n not in added and _is_seen(state, n))

    news = GraphNews(
        tuple(sorted(added)),
        tuple(sorted(removed)),
        tuple(sorted(new)),
        tuple(sorted(gone)),
        shown(schemas),
        shown(n for n in columns if isinstance(state.nodes[n], Dataset)),
        shown(changed),
        tuple(sorted({(old, canonical(node)) for node, old in before.items() if old != canonical(node)})),
    )
    return news if news.weight else None


_SCHEMA, _COLUMNS, _OTHER, _NOTHING = range(4)


def _told_by(state: State, one: FacetSet) -> int:
    """What kind of change a facet makes."""
    if not isinstance(state.nodes[one.node], Dataset):
        return _OTHER
    if one.name in (COLUMNS, LINEAGE):
        return _COLUMNS
    if one.name not in SCHEMAS:
        return _OTHER
    # What readers say of the schema shows only where no writer has said anything.
    stronger = SCHEMAS[: SCHEMAS.index(one.name)]
    for member in state.aliases.members(one.node):
        facets = state.nodes[member].facets
        if any(name in facets and facets[name][2] != DELETED for name in stronger):
            return _NOTHING
    return _SCHEMA


def _is_seen(state: State, node: Node) -> bool:
    """Whether anybody mentioned it, or a dataset by another of its names, other than as an alias."""
    return any(state.nodes[member].first is not None for member in state.aliases.members(node))


def _nodes_that_differ(state: State, appeared: set[Node], before: dict[Node, Node]) -> tuple[set[Node], set[Node]]:
    """The nodes that are there now and were not, and the other way round.

    When a group changes, all its members do, those of before and those of now."""
    canonical = state.aliases.canonical
    touched = {*before, *(m for n in appeared for m in state.aliases.members(n))}
    seen = [n for n in touched if state.nodes[n].first is not None]
    earlier = {before.get(n, canonical(n)) for n in seen if n not in appeared}
    now = {canonical(n) for n in seen}
    return now - earlier, earlier - now


def _edges_that_differ(state: State, linked: set[Pair], before: dict[Node, Node]) -> tuple[set[Pair], set[Pair]]:
    """The same for edges between canonical nodes, of which several may stand behind one."""
    canonical, members = state.aliases.canonical, state.aliases.members
    now = {(canonical(src), canonical(dst)) for src, dst in linked}
    earlier: set[Pair] = set()
    for src, dst in linked:
        if src not in before and dst not in before:
            keys = {(a, b): edge_key(a, b) for a in members(src) for b in members(dst)}
            known = (pair for pair, key in keys.items() if key in state.edges and not state.is_gone(state.edges[key]))
            if any(pair not in linked for pair in known):
                earlier.add((canonical(src), canonical(dst)))
    for node in before:
        for edge in (*state.nodes[node].into, *state.nodes[node].out):
            if state.is_gone(edge):
                continue
            src, dst = edge.src, edge.dst
            now.add((canonical(src), canonical(dst)))
            if (src, dst) not in linked:
                earlier.add((before.get(src, canonical(src)), before.get(dst, canonical(dst))))
    new, gone = now - earlier, earlier - now
    # What flows from a dataset into itself is no edge that one could see.
    return {p for p in new if p[0] != p[1]}, {p for p in gone if p[0] != p[1]}
