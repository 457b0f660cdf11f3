"""How much runs read and wrote, and where that jumped."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import median

import msgspec

from headwater.ids import DELETED, ContentId, Micros, Node
from headwater.model.entities import OUTPUT, Run, Use
from headwater.openlineage import facets as f
from headwater.openlineage.event import stamp_time
from headwater.why.pace import FEWEST, MOSTLY, state_at

# A jump is to three times as much or to a third. Below the floor a number is too small for its
# ratio to mean anything.
JUMP = 3
FLOORS = {"rowCount": 10, "size": 1024, "fileCount": 10}

_FACETS: dict[str, type[f.Statistics] | type[f.DataQualityMetrics]] = {
    "outputStatistics": f.Statistics,
    "inputStatistics": f.Statistics,
    "dataQualityMetrics": f.DataQualityMetrics,
}

FacetContents = Mapping[ContentId, bytes]


class Jump(msgspec.Struct, frozen=True):
    run: Run  # the first one with it
    dataset: Node
    output: bool
    statistic: str
    before: float
    after: float


def contents_of(runs: Iterable[Run], at: Micros) -> Iterable[ContentId]:
    """The statistics that have to be read."""
    for run in _completed(runs, at):
        for use in run.uses.values():
            yield from _registers(use, at).values()


def jumps(runs: Sequence[Run], contents: FacetContents, at: Micros) -> list[Jump]:
    """Where the amounts of a job's runs, the latest first, are not what they were. For each
    dataset the first statistic that jumped, as they are linked."""
    series: dict[tuple[int, str], list[tuple[Run, float]]] = {}
    for run in reversed(_completed(runs, at)):
        for key, use in run.uses.items():
            for name, value in _amounts(use, contents, at).items():
                series.setdefault((key, name), []).append((run, value))
    by_dataset: dict[int, Jump] = {}
    for statistic in FLOORS:
        for (key, name), values in series.items():
            if name != statistic or key in by_dataset:
                continue
            onset = _onset([value for _, value in values], FLOORS[name])
            if onset is not None:
                start, usual = onset
                run, value = values[start]
                by_dataset[key] = Jump(run, Node(key >> 1), key & 1 == OUTPUT, name, usual, value)
    return list(by_dataset.values())


def _completed(runs: Iterable[Run], at: Micros) -> list[Run]:
    return [run for run in runs if state_at(run, at) == "COMPLETED"]


def _registers(use: Use, at: Micros) -> dict[str, ContentId]:
    return {
        name: use.facets[name][2]
        for name in _FACETS
        if name in use.facets and use.facets[name][2] != DELETED and stamp_time(use.facets[name][0]) <= at
    }


def _amounts(use: Use, contents: FacetContents, at: Micros) -> dict[str, float]:
    amounts: dict[str, float] = {}
    for name, content in _registers(use, at).items():
        facet = f.read(_FACETS[name], contents.get(content))
        if facet is not None:
            size = facet.size if isinstance(facet, f.Statistics) else facet.bytes
            for statistic, value in (("rowCount", facet.rowCount), ("size", size), ("fileCount", facet.fileCount)):
                if value is not None:
                    amounts.setdefault(statistic, value)
    return amounts


def _onset(values: Sequence[float], floor: float) -> tuple[int, float] | None:
    """Since which value, the earliest first, all have been far from what was usual before."""
    for start in range(FEWEST, len(values)):
        usual = median(values[:start])
        if _near(values[-1], usual, floor):  # nearly always, so the rest is looked at rarely
            continue
        steady = sum(_near(value, usual, floor) for value in values[:start]) >= MOSTLY * start
        after = values[start:]
        if steady and (
            all(_far_above(value, usual, floor) for value in after)
            or all(_far_below(value, usual, floor) for value in after)
        ):
            return start, usual
    return None


def _near(value: float, usual: float, floor: float) -> bool:
    return not _far_above(value, usual, floor) and not _far_below(value, usual, floor)


def _far_above(value: float, usual: float, floor: float) -> bool:
    return value >= usual * JUMP and value - usual >= floor


def _far_below(value: float, usual: float, floor: float) -> bool:
    return (value == 0 < usual) or (value * JUMP <= usual and usual - value >= floor)
