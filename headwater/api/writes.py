"""Changes that people make through the API: written to the log, and answered with their position in it."""

from collections.abc import Iterable
from typing import Any

from litestar import Response

from headwater.api.context import App, answer
from headwater.ids import Micros
from headwater.ingest.folding import Record
from headwater.model.changes import Ref
from headwater.model.edits import AnyEdit, Deleted, Tagged, edit


async def write(app: App, *records: Record) -> int:
    """Returns when they are on disk and in the graph: the position in the log."""
    return max(appended.position for appended in await app.service.ingest(records))


def answer_written(position: int, body: Any, status: int = 200) -> Response[bytes]:
    response = answer(body)
    response.status_code = status
    response.headers["headwater-position"] = str(position)
    return response


async def write_edit(app: App, change: AnyEdit) -> int:
    return await write(app, edit(change))


async def write_tag(app: App, entity: Ref, field: str | None, tag: str, *, on: bool) -> int:
    return await write_edit(app, Tagged(at=app.service.moment(), entity=entity, tag=tag, field=field, on=on))


async def write_deletion(app: App, entities: Iterable[Ref], last: Micros) -> int:
    """`last`: when any of them was last seen, as clients' clocks may be ahead of ours."""
    return await write_edit(app, Deleted(at=app.service.moment(after=last), entities=tuple(entities)))
