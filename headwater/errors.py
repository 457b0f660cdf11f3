"""What can go wrong, with no HTTP in it. `api/errors.py` maps these to status codes.

HeadwaterError
├── BadEvent          the event cannot be accepted; `problems` say what is wrong and where
├── BadRequest        a question that makes no sense
├── NotFound          nothing by that name
├── TooLarge          a body over the limit
├── TookTooLong       a question over its time limit
├── StoreUnavailable  nothing can be written now (disk full); try again later
├── StoreDamaged      a file of the store is broken; says what to do
├── StoreTooNew       a file was written by a newer version
└── StoreLocked       another server has the data folder
"""

from dataclasses import dataclass


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
        self.malformed = malformed  # not JSON at all, as opposed to JSON that says too little


class BadRequest(HeadwaterError):
    pass


class NotFound(HeadwaterError):
    pass


class TooLarge(HeadwaterError):
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
