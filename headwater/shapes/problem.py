"""The one body that every error has."""

import msgspec


class FieldProblem(msgspec.Struct):
    path: str
    message: str


class ErrorBody(msgspec.Struct):
    """`code` and `message` are what Marquez clients read; `errors` names the fields."""

    code: int
    message: str
    details: str | None = None
    errors: list[FieldProblem] = []
