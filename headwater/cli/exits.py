"""Exit codes, the same for every command."""

from headwater.errors import HeadwaterError, NotFound, Unreachable

ERROR, USAGE, CHECK_FAILED, NOT_FOUND, UNREACHABLE, INTERRUPTED = 1, 2, 3, 4, 5, 130


def code_of(error: HeadwaterError) -> int:
    if isinstance(error, NotFound):
        return NOT_FOUND
    return UNREACHABLE if isinstance(error, Unreachable) else ERROR
