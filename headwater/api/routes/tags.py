"""Tags."""

from litestar import Response, get, put
from litestar.params import JSONBody

from headwater.api.bodies import TagBody
from headwater.api.context import App, answer, says
from headwater.api.parameters import InPath, Limit, Offset
from headwater.api.paths import segment
from headwater.api.writes import answer_written, write_edit
from headwater.model.edits import TagPut
from headwater.shapes import marquez as shapes


@get("/tags", responses=says(shapes.Tags), summary="All tags created or used through the API")
async def tags(app: App, limit: Limit = 100, offset: Offset = 0) -> Response[bytes]:
    known = app.state.edited.tags
    return answer(shapes.Tags([shapes.Tag(name, known[name][1]) for name in sorted(known)[offset : offset + limit]]))


@put("/tags/{tag:str}", responses=says(shapes.Tag), summary="Create or update a tag")
async def put_tag(app: App, tag: InPath, data: JSONBody[TagBody]) -> Response[bytes]:
    name = segment(tag)
    position = await write_edit(app, TagPut(at=app.service.moment(), name=name, description=data.description))
    return answer_written(position, shapes.Tag(name, app.state.edited.tags[name][1]))


routes = (tags, put_tag)
