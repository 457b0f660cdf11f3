"""Errors → status and the one body shape that every error has."""

from headwater.errors import (
    BadEvent,
    BadRequest,
    ConnectFailed,
    HeadwaterError,
    NotAllowed,
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
    (NotAllowed, 403),
    (NotYet, 503),
    (TookTooLong, 504),
    (StoreUnavailable, 503),
    (StoreDamaged, 503),
)


def status_of(error: HeadwaterError) -> int:
    if isinstance(error, BadEvent):
        return 400 if error.malformed else 422
    if isinstance(error, ConnectFailed):
        # Whatever else happens there, this server could not get an answer for its client.
        return error.status if error.status in (400, 404, 409) else 502
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


# Names may be of any length, and messages repeat them.
_LONGEST = 2000


def body_of(error: HeadwaterError) -> ErrorBody:
    problems = error.problems if isinstance(error, BadEvent | ConnectFailed) else ()
    fields = [FieldProblem(p.path or "$", p.message) for p in problems]
    message = _short(str(error))
    if isinstance(error, BadRequest) and error.path is not None:
        fields.append(FieldProblem(error.path, message))
    return ErrorBody(status_of(error), message, errors=fields)


def _short(text: str) -> str:
    """What is wrong stands at the beginning, what to do about it at the end."""
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]} … {text[-half:]}"
