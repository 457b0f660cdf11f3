"""What one event changed, as plain facts.

Updates are made while events are ingested, whether anybody listens or not, so they hold no text: nodes
are numbers, and `update_json.py` makes the JSON when a subscriber needs it. Names are canonical as
of the event, so the JSON is the same whenever it is made.
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

RunSnapshot = tuple[RunId, Node, Stamp | None, Micros | None, bool, Stamp | None]
"""Id, job, first, started, active and ended of a run, as of an event."""

Pair = tuple[Node, Node]


class GraphUpdate(msgspec.Struct, frozen=True, gc=False):
    """What looks different in the graph now. A node that was added is in no other list of nodes."""

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


class Update(msgspec.Struct, frozen=True, gc=False):
    position: Position
    time: Micros
    kind: EventType | None  # None: an edit through the API
    run: RunSnapshot | None
    run_before: tuple[bool, Stamp | None] | None  # active and ended; None for a run that is new
    job: Node | None
    dataset: Node | None  # of a dataset event
    inputs: tuple[Node, ...]
    outputs: tuple[Node, ...]
    graph: GraphUpdate | None
    weight: int  # about how many nodes it names, on which its memory depends


class UpdateRecorder:
    """Makes an update for each event that is applied to the state."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._effects: list[Effect] = []
        state.effects = self._effects
        self._run_before: tuple[bool, Stamp | None] | None = None
        self._updates: list[Update] = []
        self._complete = True

    def before(self, event: Event) -> None:
        """To be called when the event's run is in memory."""
        run = self._state.runs.get(event.run) if event.run is not None else None
        self._run_before = None if run is None or run.first is None else (run.active, run.ended)

    def after(self, position: Position, event: Event) -> None:
        try:
            self._updates.append(self._update(position, event))
            self._check_complete()
        except Exception:  # a bug of ours must keep no event out
            logger.exception("no live update could be made for event %d; subscribers have to resync", position)
            self._complete = False
        self._effects.clear()

    def after_edit(self, position: Position, at: Micros) -> None:
        graph = graph_update(self._state, self._effects) if self._effects else None
        weight = 0 if graph is None else graph.weight
        self._updates.append(Update(position, at, None, None, None, None, None, (), (), graph, weight))
        self._check_complete()
        self._effects.clear()

    def _check_complete(self) -> None:
        gone = self._state.gone
        if self._effects and any(_needs_resync(effect, gone) for effect in self._effects):
            self._complete = False

    def take(self) -> list[Update] | None:
        """The updates since the last time; None if they do not show all that changed."""
        updates, self._updates = self._updates, []
        complete, self._complete = self._complete, True
        return updates if complete else None

    def _update(self, position: Position, event: Event) -> Update:
        state, datasets, canonical = self._state, self._state.datasets, self._state.aliases.canonical
        job, mention, run_id = event.job, event.dataset, event.run
        run = state.runs[run_id] if run_id is not None else None
        inputs = tuple([canonical(datasets[m.namespace][m.name]) for m in event.inputs])
        outputs = tuple([canonical(datasets[m.namespace][m.name]) for m in event.outputs])
        graph = graph_update(state, self._effects) if self._effects else None
        return Update(
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


def _needs_resync(effect: Effect, gone: Container[Node]) -> bool:
    """Whether this effect alone does not show what is different now."""
    match effect:
        case Overturned():
            return True
        case Appeared() | Regrouped():
            return effect.node in gone
        case Linked():
            return effect.src in gone or effect.dst in gone
        case _:
            return False


def graph_update(state: State, effects: Iterable[Effect]) -> GraphUpdate | None:
    """What effects mean for subscribers, who see only canonical names."""
    appeared: set[Node] = set()
    linked: set[Pair] = set()
    before: dict[Node, Node] = {}
    schemas: dict[Node, None] = {}
    columns: dict[Node, None] = {}
    changed: dict[Node, None] = {}
    for effect in effects:
        match effect:
            case Appeared():
                appeared.add(effect.node)
            case Linked():
                linked.add((effect.src, effect.dst))
            case Regrouped():
                before.setdefault(effect.node, effect.before)
                changed[effect.node] = None
            case ColumnsChanged():
                columns[effect.node] = None
            case Altered():
                changed[effect.node] = None
            case Overturned():
                pass  # subscribers get a resync
            case FacetSet():
                kind = _kind_of_change(state, effect)
                if kind == _SCHEMA:
                    schemas[effect.node] = None
                elif kind == _COLUMNS:
                    columns[effect.node] = None
                elif kind == _OTHER:
                    changed[effect.node] = None
    added, removed = _nodes_that_differ(state, appeared, before)
    new, gone = _edges_that_differ(state, linked, before)
    canonical = state.aliases.canonical

    def shown(nodes: Iterable[Node]) -> tuple[Node, ...]:
        return tuple(n for n in dict.fromkeys(map(canonical, nodes)) if n not in added and _is_seen(state, n))

    update = GraphUpdate(
        tuple(sorted(added)),
        tuple(sorted(removed)),
        tuple(sorted(new)),
        tuple(sorted(gone)),
        shown(schemas),
        shown(n for n in columns if isinstance(state.nodes[n], Dataset)),
        shown(changed),
        tuple(sorted({(old, canonical(node)) for node, old in before.items() if old != canonical(node)})),
    )
    return update if update.weight else None


_SCHEMA, _COLUMNS, _OTHER, _NOTHING = range(4)


def _kind_of_change(state: State, effect: FacetSet) -> int:
    if not isinstance(state.nodes[effect.node], Dataset):
        return _OTHER
    if effect.name in (COLUMNS, LINEAGE):
        return _COLUMNS
    if effect.name not in SCHEMAS:
        return _OTHER
    # The schema of readers shows only where no writer has reported one.
    stronger = SCHEMAS[: SCHEMAS.index(effect.name)]
    for member in state.aliases.members(effect.node):
        facets = state.nodes[member].facets
        if any(name in facets and facets[name][2] != DELETED for name in stronger):
            return _NOTHING
    return _SCHEMA


def _is_seen(state: State, node: Node) -> bool:
    """Whether an event mentioned it, under any of its names, other than as an alias."""
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
            shown = (pair for pair, key in keys.items() if key in state.edges and not state.is_gone(state.edges[key]))
            if any(pair not in linked for pair in shown):
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
    # An edge from a dataset to itself is not shown.
    return {p for p in new if p[0] != p[1]}, {p for p in gone if p[0] != p[1]}
