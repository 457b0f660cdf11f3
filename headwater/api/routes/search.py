"""Search: our own with Marquez's shape, and the answers that its beta search has, from the same index."""

import re
from typing import Annotated, Any

from litestar import Response, Router, get
from litestar.params import Parameter, QueryParameter
from msgspec import Raw

from headwater.answers.run_json import moment
from headwater.api.context import App, answer, says
from headwater.api.parameters import Limit, Moment, Offset, one_of, time_of
from headwater.errors import BadRequest
from headwater.ids import Node
from headwater.model.entities import Dataset, Run
from headwater.model.shown import facets_of
from headwater.search.documents import DATASET, JOB
from headwater.search.search import NAME, UPDATED, Hit, SearchQuery
from headwater.shapes.search import BetaHit, BetaSearchAnswer, Highlight, SearchAnswer, SearchHit

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")

Text = Annotated[
    str, Parameter(description="Words to search for; the last one may be incomplete.", schema_extra={"pattern": r"\S"})
]


@get("/search", responses=says(SearchAnswer), summary="Search jobs and datasets, best match first")
async def search(
    app: App,
    q: Text,
    kind: Annotated[
        str | None,
        QueryParameter(name="filter", description="Only jobs or only datasets.", schema_extra=one_of(JOB, DATASET)),
    ] = None,
    sort: Annotated[
        str | None,
        Parameter(
            description=f"`{UPDATED}`: latest first. Default: best match first.",
            schema_extra=one_of(NAME, UPDATED),
        ),
    ] = None,
    limit: Limit = 10,
    offset: Offset = 0,
    namespace: Annotated[str | None, Parameter(description="Only in this namespace.")] = None,
    before: Moment = None,
    after: Moment = None,
) -> Response[bytes]:
    results = await app.search.ask(
        SearchQuery(
            _text(q),
            _one_of("filter", kind, (JOB, DATASET)),
            namespace,
            time_of("after", _whole(after)),
            time_of("before", _whole(before)),
            _one_of("sort", sort, (NAME, UPDATED)),
            limit,
            offset,
        )
    )
    return answer(SearchAnswer(results.total, [_hit(hit) for hit in results.hits]))


def _text(q: str) -> str:
    if not q.strip():
        raise BadRequest("q is empty; give a word to search for")
    return q


def _one_of(name: str, given: str | None, known: tuple[str, ...]) -> str | None:
    if given is not None and given.upper() not in known:
        raise BadRequest(f"{name}={given!r} is not one of {', '.join(known)}")
    return None if given is None else given.upper()


def _whole(given: str | None) -> str | None:
    """Marquez's clients give days; a day stands for its first moment."""
    return f"{given}T00:00:00Z" if given is not None and _DAY.fullmatch(given) else given


def _hit(hit: Hit) -> SearchHit:
    document = hit.document
    return SearchHit(
        document.kind,
        document.name,
        moment(document.updated),
        document.namespace,
        document.node_id,
        hit.score,
        document.description,
        [Highlight(field, text) for field, text in hit.highlights],
    )


# Marquez's beta search shows these names of fields with what was found.
_BETA_FIELDS = {
    "tags": "facets.tags.tags",
    "owners": "facets.ownership.owners.name",
    "columns": "facets.schema.fields.name",
    "description": "facets.documentation.description",
    "sql": "facets.sql.query",
}
_BETA_LIMIT = 10
_EVENT_TYPES = {"NEW": "START", "RUNNING": "RUNNING", "COMPLETED": "COMPLETE", "FAILED": "FAIL", "ABORTED": "ABORT"}


@get("/jobs", responses=says(BetaSearchAnswer), summary="Search jobs, in the format of Marquez's beta search")
async def search_jobs(app: App, q: Text) -> Response[bytes]:
    return answer(await _beta(app, q, JOB))


@get("/datasets", responses=says(BetaSearchAnswer), summary="Search datasets, in the format of Marquez's beta search")
async def search_datasets(app: App, q: Text) -> Response[bytes]:
    return answer(await _beta(app, q, DATASET))


async def _beta(app: App, q: str, kind: str) -> BetaSearchAnswer:
    results = await app.search.ask(SearchQuery(_text(q), kind, limit=_BETA_LIMIT))
    marked: list[dict[str, list[str]]] = []
    for hit in results.hits:
        by_field: dict[str, list[str]] = {}
        for field, text in hit.highlights:
            by_field.setdefault(_BETA_FIELDS.get(field, field), []).append(text)
        marked.append(by_field)
    return BetaSearchAnswer([_beta_hit(app, hit.document.node) for hit in results.hits], marked)


def _beta_hit(app: App, node: Node) -> BetaHit:
    entity, run = app.state.nodes[node], _latest_run(app, node)
    facets: dict[str, Any] = {**app.renderer.shown_facets(facets_of(app.state, node))}
    hit = BetaHit(
        run_id=run.id if run else None,
        eventType=_EVENT_TYPES[run.state] if run else None,
        name=entity.name,
        namespace=entity.namespace,
        facets=facets,
    )
    if not isinstance(entity, Dataset):
        hit.type = app.renderer.jobs.job_type(entity)
        bodies: dict[str, Raw] = app.renderer.shown_facets(run.facets) if run else {}
        hit.runFacets = {**bodies}
    return hit


def _latest_run(app: App, node: Node) -> Run | None:
    """Of a job, or of the job that wrote a dataset last."""
    state = app.state
    entity = state.nodes[node]
    if not isinstance(entity, Dataset):
        return entity.latest
    edges = [edge for member in state.aliases.members(node) for edge in state.nodes[member].into]
    writers = [edge for edge in edges if not isinstance(state.nodes[edge.src], Dataset)]
    last = max(writers, key=lambda edge: edge.last, default=None)
    return state.job_of(last.src).latest if last is not None else None


routes = (search,)
beta_router = Router("/api/v2beta/search", route_handlers=[search_jobs, search_datasets])
