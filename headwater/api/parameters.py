"""Parameters that several routes share, and how moments and windows are read."""

from typing import Annotated, Any

from litestar.params import Parameter, ParameterKwarg, PathParameter, QueryParameter

from headwater.errors import BadRequest
from headwater.graph.when import Always, At, During, When
from headwater.ids import Micros, type_dataset, type_field, type_job, type_run
from headwater.openlineage import timestamps

_MAX_LIMIT = 1000


def one_of(*names: str) -> dict[str, Any]:
    """For OpenAPI: what a text can be. We are not strict about upper and lower case."""
    return {"enum": list(names)}


def node_parameter(name: str, *kinds: str) -> ParameterKwarg:
    """Names a node of one of these kinds."""
    forms = {type_field: "NAMESPACE:NAME:COLUMN", type_run: "ID"}
    *others, last = (f"`{kind}:{forms.get(kind, 'NAMESPACE:NAME')}`" for kind in kinds)
    # Two names are joined by a colon, and may hold anything else.
    patterns = (f"{kind}:[\\s\\S]" if kind == type_run else f"{kind}:[\\s\\S]*:" for kind in kinds)
    described = f"{', '.join(others)} or {last}." if others else f"{last}."
    return QueryParameter(name=name, description=described, schema_extra={"pattern": f"^({'|'.join(patterns)})"})


InPath = Annotated[str, PathParameter(description="Percent-encoded as one segment, including slashes.")]
Limit = Annotated[int, Parameter(ge=0, le=_MAX_LIMIT, description="Maximum number of results.")]
Offset = Annotated[int, Parameter(ge=0, le=1 << 53, description="Number of results to skip.")]
Depth = Annotated[int, Parameter(ge=0, le=1 << 31, description="Maximum distance, in jobs.")]
JOB_OR_DATASET = (type_dataset, type_job)
WITH_COLUMNS = (type_dataset, type_field, type_job)
NodeId = Annotated[str, node_parameter("nodeId", *JOB_OR_DATASET)]
NodeOrColumnId = Annotated[str, node_parameter("nodeId", *WITH_COLUMNS)]
MOMENT = {"format": "date-time"}
Moment = Annotated[str | None, Parameter(description="An ISO 8601 date-time.", schema_extra=MOMENT)]


def time_of(name: str, text: str | None) -> Micros | None:
    if text is None:
        return None
    try:
        return timestamps.parse(text.replace(" ", "+"))  # a + that was not percent-encoded
    except (ValueError, OverflowError):
        raise BadRequest(f"{name}={text!r} is not an ISO 8601 date-time of the years 1 to 9999", name) from None


def when_of(at: str | None, since: str | None, until: str | None) -> When:
    """A moment, a window, or all of time."""
    if at is not None:
        if since is not None or until is not None:
            raise BadRequest("use either `at` or `since` and `until`, not both")
        moment = time_of("at", at)
        assert moment is not None
        return At(moment)
    if since is None and until is None:
        return Always()
    start, end = time_of("since", since), time_of("until", until)
    if start is not None and end is not None and start > end:
        raise BadRequest(f"since={since!r} is after until={until!r}")
    return During(start, end)
