"""What a store must do. `tests/contract` runs the same suite against every implementation."""

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec

from headwater.ids import ContentId, Micros, Node, Position, RunId
from headwater.model.entities import Register, Run
from headwater.model.state import State
from headwater.model.versions import Version
from headwater.openlineage.skeleton import Facet
from headwater.store.rows import Rows, StoredRun


class Record(Protocol):
    """An event or an edit, as far as the log looks at it."""

    @property
    def skeleton(self) -> bytes: ...
    @property
    def digest(self) -> bytes: ...
    @property
    def facets(self) -> tuple[Facet, ...]: ...


class StoredEvent(msgspec.Struct, frozen=True, gc=False):
    position: Position
    received: Micros
    body: bytes


class Appended(msgspec.Struct, frozen=True, gc=False):
    position: Position
    duplicate: bool  # it was in the log already; the position is the first one's


class Log(Protocol):
    """Events and edits in one order, each stored byte for byte. What `append` returned is on disk."""

    @property
    def known_contents(self) -> Container[ContentId]:
        """Contents that are certainly in the log, as far as it remembers."""

    def append(self, events: Sequence[Record], received: Micros, stored: Collection[ContentId] = ()) -> list[Appended]:
        """`stored`: more contents that are certainly in the log, so it does not write them again."""

    def tidy(self) -> None:
        """Upkeep that nobody has to wait for. To be called now and then, in a thread of its own."""

    def last(self) -> Position: ...
    def read(self, after: Position) -> Iterator[StoredEvent]: ...
    def events(self, positions: Sequence[Position]) -> list[StoredEvent]: ...
    def contents(self, ids: Iterable[ContentId]) -> Mapping[ContentId, bytes]: ...
    def size(self) -> int: ...
    def close(self) -> None: ...


class Sign(NamedTuple):
    """An event of a run: its position in the log, its own time, and its type."""

    position: Position
    time: Micros
    kind: int


class Read(NamedTuple):
    """A run, by its row, that began to read a dataset."""

    dataset: Node
    at: Micros
    run: int


class EventFilter(msgspec.Struct, frozen=True, gc=False):
    after: Micros | None = None
    before: Micros | None = None
    newest_first: bool = True
    limit: int = 100
    offset: int = 0


class JobVersion(msgspec.Struct, frozen=True, gc=False):
    """Runs of a job that read and wrote the same datasets: when the first of them began, and the latest of them."""

    version: int
    first: Micros
    latest_run: int  # its row


class Tables(Protocol):
    """The state as of `position`. `write` is one transaction; `load` gives back what it wrote."""

    def position(self) -> Position: ...
    def load(self) -> State: ...
    def write(self, rows: Rows, position: Position) -> None: ...
    def tidy(self) -> None: ...
    def clear(self) -> None: ...
    def size(self) -> int: ...
    def close(self) -> None: ...

    def runs(self, ids: Sequence[RunId]) -> list[Run]: ...
    def runs_by_row(self, rows: Sequence[int]) -> list[Run]: ...
    def runs_of_job(self, job: Node, limit: int, offset: int) -> list[Run]: ...
    def latest_runs(self, jobs: Sequence[Node], limit: int) -> dict[Node, list[StoredRun]]:
        """For each job its latest runs, at most `limit`, without what they used; latest first."""

    def job_versions(self, job: Node) -> list[JobVersion]: ...
    def recent_runs(self, jobs: Sequence[Node], at: Micros, limit: int) -> dict[Node, list[Run]]:
        """For each job its latest runs that had started by a moment, at most `limit`; latest first."""

    def run_signs(self, rows: Sequence[int], at: Micros, limit: int) -> dict[int, list[Sign]]:
        """For each run its latest events up to a moment, at most `limit`; latest first."""

    def events(self, criteria: EventFilter) -> list[Position]: ...
    def count_events(self, criteria: EventFilter) -> int: ...
    def run_history(self, row: int) -> list[tuple[Position, Micros, int]]: ...
    def version(self, uuid: bytes) -> Version | None: ...
    def versions(self, datasets: Sequence[Node], limit: int, offset: int) -> list[Version]: ...
    def count_versions(self, datasets: Sequence[Node]) -> int: ...
    def current_versions(self, datasets: Sequence[Node], at: Micros | None) -> dict[Node, Version]: ...
    def versions_by_id(self, ids: Sequence[bytes]) -> dict[bytes, Version]: ...
    def versions_read(self, reads: Sequence[Read]) -> dict[Read, Version]:
        """For each read the newest version at that time, without those that the reading run wrote itself."""

    def next_versions(self, versions: Sequence[Version]) -> dict[bytes, Micros]:
        """For each version, by its id, when the next one followed; without the newest ones."""

    def readers(self, dataset: Node, since: Micros, until: Micros, limit: int) -> list[int]:
        """Runs that first read a dataset within [since, until); the earliest first."""

    def runs_using(self, datasets: Sequence[Node], output: bool, limit: int) -> list[int]: ...
    def past_facets(self, node: Node) -> list[tuple[str, Register]]: ...
    def past_values(self, nodes: Sequence[Node], names: Sequence[str]) -> dict[Node, list[tuple[str, Register]]]:
        """Former values of some facets, for many jobs or datasets; the earliest first."""
