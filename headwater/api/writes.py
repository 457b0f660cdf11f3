"""Telling the log what people change, and answering with where in the log it stands."""

from collections.abc import Iterable
from typing import Any

from litestar import Response

from headwater.api.context import App, answer
from headwater.ids import Micros
from headwater.ingest.folding import Record
from headwater.model.changes import Ref
from headwater.model.edits import AnyEdit, Deleted, Tagged, edit


async def tell(app: App, *records: Record) -> int:
    """Returns when it is on disk and in the graph: the position in the log."""
    return max(appended.position for appended in await app.service.ingest(records))


def told(position: int, body: Any, status: int = 200) -> Response[bytes]:
    said = answer(body)
    said.status_code = status
    said.headers["headwater-position"] = str(position)
    return said


async def tell_edit(app: App, change: AnyEdit) -> int:
    return await tell(app, edit(change))


async def tell_tag(app: App, entity: Ref, field: str | None, tag: str, *, on: bool) -> int:
    return await tell_edit(app, Tagged(at=app.service.moment(), entity=entity, tag=tag, field=field, on=on))


async def tell_deleted(app: App, entities: Iterable[Ref], last: Micros) -> int:
    """`last`: when any of them was last seen, as clients' clocks may be ahead of ours."""
    return await tell_edit(app, Deleted(at=app.service.moment(after=last), entities=tuple(entities)))
