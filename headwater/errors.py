"""What can go wrong, with no HTTP in it. `api/errors.py` maps these to status codes.

HeadwaterError
├── BadEvent          the event cannot be accepted; `problems` say what is wrong and where
├── BadRequest        the request makes no sense; `path` names the field or parameter
├── NotFound          nothing by that name
├── TooLarge          a body over the limit
├── NotAllowed        not allowed on this server; says which setting would allow it
├── ConnectFailed     a Connect cluster failed or refused; `status` is its own, if it answered
├── Refused           a server refused the request; `status` and `problems` say why
│   └── EventsRefused some events of many were refused; `refused` names them, the others are stored
├── ServerFailed      a server failed, or answered with something unexpected
├── Unreachable       no server at that address
├── NotYet            the state has not reached the requested position
├── TookTooLong       a query over its deadline
├── StoreUnavailable  nothing can be written now (disk full); try again later
├── StoreDamaged      a file of the store is broken; says what to do
├── StoreTooNew       a file was written by a newer version
├── StoreLocked       another server uses the data folder
├── CannotStart       the machine lacks something that the lab needs; says what to do
└── ServiceDied       a service of the lab ended; says which, with the end of its log
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial


@dataclass(frozen=True)
class Problem:
    """One thing wrong with an event, and the path of the field that has it."""

    path: str
    message: str


class HeadwaterError(Exception):
    """The root; its text is written for the person who reads it."""


class BadEvent(HeadwaterError):
    def __init__(self, *problems: Problem, malformed: bool = False) -> None:
        super().__init__("; ".join(f"{p.path}: {p.message}" if p.path else p.message for p in problems))
        self.problems = problems
        self.malformed = malformed  # not JSON at all, as opposed to JSON that is no event

    def __reduce__(self) -> tuple[object, ...]:
        """For pickling: errors go from readers to the server."""
        return partial(BadEvent, malformed=self.malformed), self.problems


class BadRequest(HeadwaterError):
    def __init__(self, message: str, path: str | None = None) -> None:
        super().__init__(message)
        self.path = path  # the field or parameter that is wrong


class NotFound(HeadwaterError):
    pass


class TooLarge(HeadwaterError):
    pass


class NotAllowed(HeadwaterError):
    pass


class ConnectFailed(HeadwaterError):
    def __init__(self, message: str, status: int | None, problems: Sequence[Problem] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.problems = tuple(problems)  # by option of a configuration


class Refused(HeadwaterError):
    def __init__(self, message: str, status: int, problems: Sequence[Problem] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.problems = tuple(problems)


class EventsRefused(Refused):
    def __init__(self, refused: Mapping[int, str], position: int | None) -> None:
        """`refused` has the reason for each index; `position` is that of the last event that was stored."""
        first, reason = next(iter(refused.items()))
        more = f"; {len(refused) - 1} more refused" if len(refused) > 1 else ""
        super().__init__(f"event {first + 1} was refused: {reason}{more}", 422)
        self.refused = refused
        self.position = position


class ServerFailed(HeadwaterError):
    def __init__(self, message: str, status: int, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after  # seconds, when the server says so


class Unreachable(HeadwaterError):
    pass


class NotYet(HeadwaterError):
    pass


class TookTooLong(HeadwaterError):
    pass


class StoreUnavailable(HeadwaterError):
    pass


class StoreDamaged(HeadwaterError):
    pass


class StoreTooNew(HeadwaterError):
    pass


class StoreLocked(HeadwaterError):
    pass


class CannotStart(HeadwaterError):
    pass


class ServiceDied(HeadwaterError):
    pass
