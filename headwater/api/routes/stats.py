"""How many events there were, and how many jobs, datasets and sources, over the last day or week."""

from typing import Annotated

from litestar import Response, get
from litestar.params import Parameter

from headwater.answers.stats import created_counts, event_counts
from headwater.api.context import App, answer, says
from headwater.api.parameters import one_of
from headwater.shapes import marquez as shapes

Period = Annotated[
    str,
    Parameter(description="The last 24 hours, or the last 7 days.", schema_extra=one_of("DAY", "WEEK")),
]
Zone = Annotated[
    str | None,
    Parameter(description="Time zone in which hours and days begin, such as `Asia/Kathmandu`; required for WEEK."),
]


@get("/stats/lineage-events", responses=says(list[shapes.EventCounts]), summary="Events in each hour or day, by type")
async def lineage_events(app: App, period: Period, timezone: Zone = None) -> Response[bytes]:
    return answer(event_counts(app.state, period, timezone))


@get("/stats/jobs", responses=says(list[shapes.Count]), summary="Jobs at the end of each hour or day")
async def jobs(app: App, period: Period, timezone: Zone = None) -> Response[bytes]:
    return answer(created_counts(app.listing, app.listing.created_jobs, period, timezone))


@get("/stats/datasets", responses=says(list[shapes.Count]), summary="Datasets at the end of each hour or day")
async def datasets(app: App, period: Period, timezone: Zone = None) -> Response[bytes]:
    return answer(created_counts(app.listing, app.listing.created_datasets, period, timezone))


@get("/stats/sources", responses=says(list[shapes.Count]), summary="Sources at the end of each hour or day")
async def sources(app: App, period: Period, timezone: Zone = None) -> Response[bytes]:
    return answer(created_counts(app.listing, app.listing.created_sources, period, timezone))


routes = (lineage_events, jobs, datasets, sources)
