"""Errors → status and the one body shape that every error has."""

import msgspec

from headwater.errors import (
    BadEvent,
    BadRequest,
    HeadwaterError,
    NotFound,
    StoreDamaged,
    StoreUnavailable,
    TookTooLong,
    TooLarge,
)


class FieldProblem(msgspec.Struct):
    path: str
    message: str


class ErrorBody(msgspec.Struct):
    """`code` and `message` are what Marquez clients read; `errors` names the fields."""

    code: int
    message: str
    details: str | None = None
    errors: list[FieldProblem] = []


_STATUS: tuple[tuple[type[HeadwaterError], int], ...] = (
    (NotFound, 404),
    (BadRequest, 400),
    (TooLarge, 413),
    (TookTooLong, 504),
    (StoreUnavailable, 503),
    (StoreDamaged, 503),
)


def status_of(error: HeadwaterError) -> int:
    if isinstance(error, BadEvent):
        return 400 if error.malformed else 422
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def body_of(error: HeadwaterError) -> ErrorBody:
    problems = error.problems if isinstance(error, BadEvent) else ()
    return ErrorBody(status_of(error), str(error), errors=[FieldProblem(p.path or "$", p.message) for p in problems])
