"""Errors → status and the one body shape that every error has."""

from headwater.errors import (
    BadEvent,
    BadRequest,
    HeadwaterError,
    NotFound,
    NotYet,
    StoreDamaged,
    StoreUnavailable,
    TookTooLong,
    TooLarge,
)
from headwater.shapes.problem import ErrorBody, FieldProblem

_STATUS: tuple[tuple[type[HeadwaterError], int], ...] = (
    (NotFound, 404),
    (BadRequest, 400),
    (TooLarge, 413),
    (NotYet, 503),
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
    fields = [FieldProblem(p.path or "$", p.message) for p in problems]
    if isinstance(error, BadRequest) and error.path is not None:
        fields.append(FieldProblem(error.path, str(error)))
    return ErrorBody(status_of(error), str(error), errors=fields)
