"""A world that can be searched."""

import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from headwater.ingest.folding import fold
from headwater.ingest.service import Service
from headwater.openlineage.timestamps import now
from headwater.search.search import Answer, Search, SearchQuery
from tests.support.world import EventOrEdit, World, record


def search_for(world: World, folder: Path) -> Search:
    return Search(Service(world.log, world.tables, world.state), world.contents, folder)


@asynccontextmanager
async def searching(world: World, folder: Path | None = None) -> AsyncIterator[Search]:
    with tempfile.TemporaryDirectory() as temporary:
        search = search_for(world, folder or Path(temporary))
        await search.start()
        try:
            yield search
        finally:
            await search.stop()


def names(answer: Answer) -> list[str]:
    """`orders` for datasets, `load()` for jobs."""
    return [hit.document.name + ("()" if hit.document.kind == "JOB" else "") for hit in answer.hits]


async def hit_names(world: World, text: str, **options: Any) -> list[str]:
    async with searching(world) as search:
        return names(await search.ask(SearchQuery(text, **options)))


def tell(world: World, events: Sequence[EventOrEdit]) -> None:
    """Events that come in while the search runs."""
    for event in events:
        decoded = record(event)
        (appended,) = world.log.append([decoded], now())
        if not appended.duplicate:
            fold(world.state, world.tables, [(appended.position, decoded)], world.known)
