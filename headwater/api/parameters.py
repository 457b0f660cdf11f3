"""Parameters that several routes share, and how moments and windows are read."""

from typing import Annotated

from litestar.params import Parameter, QueryParameter

from headwater.errors import BadRequest
from headwater.graph.when import Always, At, During, When
from headwater.ids import Micros
from headwater.openlineage import timestamps

_MAX_LIMIT = 1000

Limit = Annotated[int, Parameter(ge=0, le=_MAX_LIMIT, description="How many, at the most.")]
Offset = Annotated[int, Parameter(ge=0, le=1 << 53, description="How many to pass over.")]
Depth = Annotated[int, Parameter(ge=0, le=1 << 31, description="How many jobs away, at the most.")]
NodeId = Annotated[
    str,
    QueryParameter(
        name="nodeId",
        description="`dataset:NAMESPACE:NAME`, `datasetField:NAMESPACE:NAME:COLUMN` or `job:NAMESPACE:NAME`.",
    ),
]
Moment = Annotated[str | None, Parameter(description="An ISO 8601 date-time.")]


def time_of(name: str, text: str | None) -> Micros | None:
    if text is None:
        return None
    try:
        return timestamps.parse(text.replace(" ", "+"))  # a + that was not percent-encoded
    except (ValueError, OverflowError):
        raise BadRequest(f"{name}={text!r} is not an ISO 8601 date-time", name) from None


def when_of(at: str | None, since: str | None, until: str | None) -> When:
    """A moment, a window, or all of time."""
    if at is not None:
        if since is not None or until is not None:
            raise BadRequest("ask for a moment with `at`, or a window with `since` and `until`, not both")
        moment = time_of("at", at)
        assert moment is not None
        return At(moment)
    if since is None and until is None:
        return Always()
    start, end = time_of("since", since), time_of("until", until)
    if start is not None and end is not None and start > end:
        raise BadRequest(f"the window ends before it begins: since={since!r} is after until={until!r}")
    return During(start, end)
