"""Sources: where datasets are stored."""

from litestar import Response, get, put
from litestar.params import JSONBody

from headwater.answers.finding import find_source
from headwater.api.bodies import SourceBody
from headwater.api.context import App, answer, says
from headwater.api.parameters import InPath, Limit, Offset
from headwater.api.paths import segment
from headwater.api.writes import answer_written, write_edit
from headwater.model.edits import SourcePut
from headwater.model.state import Source, State
from headwater.openlineage.timestamps import to_datetime
from headwater.shapes import marquez as shapes


@get("/sources", responses=says(shapes.Sources), summary="All sources of datasets")
async def sources(app: App, limit: Limit = 100, offset: Offset = 0) -> Response[bytes]:
    names = sorted(app.state.sources)[offset : offset + limit]
    return answer(shapes.Sources([_source(app.state, app.state.sources[name]) for name in names]))


@get("/sources/{source:str}", responses=says(shapes.Source), summary="One source")
async def source(app: App, source: InPath) -> Response[bytes]:
    return answer(_source(app.state, find_source(app.state, segment(source))))


@put("/sources/{source:str}", responses=says(shapes.Source), summary="Create or update a source")
async def put_source(app: App, source: InPath, data: JSONBody[SourceBody]) -> Response[bytes]:
    name = segment(source)
    position = await write_edit(
        app,
        SourcePut(
            at=app.service.moment(),
            name=name,
            kind=data.type.upper(),
            url=data.connectionUrl,
            description=data.description,
        ),
    )
    return answer_written(position, _source(app.state, app.state.sources[name]))


def _source(state: State, source: Source) -> shapes.Source:
    _, kind, description = state.edited.sources.get(source.name, (None, _scheme(source.uri), None))
    first, last = to_datetime(source.first), to_datetime(source.last)
    return shapes.Source(kind, source.name, first, last, source.uri, description)


def _scheme(uri: str) -> str:
    """`postgresql://…` and `jdbc:postgresql://…` are POSTGRESQL."""
    scheme = uri.removeprefix("jdbc:").partition(":")[0]
    return scheme.upper() if scheme and scheme != uri else "UNKNOWN"


routes = (sources, source, put_source)
