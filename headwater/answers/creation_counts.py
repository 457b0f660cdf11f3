"""How many things there were at a time, without looking at each of them."""

from array import array

from sortedcontainers import SortedDict

from headwater.ids import Micros, Node
from headwater.model.state import QUARTER

_NONE = -(1 << 62)


class CreationCounts:
    """Counts things by the quarter of an hour in which they were first seen. Eight bytes for each,
    as there may be hundreds of thousands."""

    def __init__(self) -> None:
        self._quarters = array("q")  # by node
        self._counts: SortedDict[int, int] = SortedDict()
        self._total = 0

    def put(self, node: Node, first: Micros | None) -> None:
        """Since when it is there; None: not at all."""
        missing = node + 1 - len(self._quarters)
        if missing > 0:
            self._quarters.extend([_NONE] * missing)
        old, new = self._quarters[node], _NONE if first is None else first // QUARTER
        if old == new:
            return
        self._quarters[node] = new
        if old != _NONE:
            self._total -= 1
            self._counts[old] -= 1
            if not self._counts[old]:
                del self._counts[old]
        if new != _NONE:
            self._total += 1
            self._counts[new] = self._counts.get(new, 0) + 1

    def before(self, moment: Micros) -> int:
        """How many of those that are there now were there before a moment, which begins a quarter
        of an hour. People ask about the last days, so what is later is counted."""
        later = self._counts.irange(moment // QUARTER)
        return self._total - sum(self._counts[quarter] for quarter in later)
