"""Search: answers from an index that follows the state (`following.py`)."""

import asyncio
from heapq import nsmallest
from itertools import islice
from pathlib import Path

import msgspec

from headwater.errors import StoreUnavailable
from headwater.facet_contents import Contents
from headwater.ids import Micros, Node
from headwater.ingest.service import Service
from headwater.model.shown import is_shown, last_seen
from headwater.search.documents import Texts, hour
from headwater.search.following import Following
from headwater.search.highlight import highlights
from headwater.search.index import MOST_SORTED, Found, IndexUnusable, Place, Version, search
from headwater.search.query import Filters
from headwater.search.words import Question, question

# Answers with many hits take milliseconds, and short questions are asked again and again while
# people type. They are kept until the index changes.
_MANY_HITS, _MOST_KEPT = 5000, 64

# Hits are read in slices of about a millisecond.
_HITS_PER_SLICE = 16

NAME, UPDATED = "NAME", "UPDATE_AT"


class Wanted(msgspec.Struct, frozen=True, gc=False):
    text: str
    kind: str | None = None
    namespace: str | None = None
    after: Micros | None = None
    before: Micros | None = None
    sort: str | None = None  # NAME or UPDATED; without, the best first
    limit: int = 10
    offset: int = 0


class Hit(msgspec.Struct, frozen=True, gc=False):
    score: float
    texts: Texts
    highlights: list[tuple[str, str]]


class Answer(msgspec.Struct, frozen=True, gc=False):
    total: int
    hits: list[Hit]


class Search(Following):
    def __init__(self, service: Service, contents: Contents, data: Path) -> None:
        super().__init__(service, contents, data)
        self._ask = service.run_query
        self._kept: dict[tuple[str, Filters, bool], Found] = {}
        self._kept_of: Version | None = None

    async def ask(self, wanted: Wanted) -> Answer:
        await self.bring_up()
        if wanted.sort == UPDATED or wanted.after is not None or wanted.before is not None:
            await self.bring_up_times()
        asked = question(wanted.text)
        found = await self._find(wanted, asked)
        total, page = self._page(found, wanted)
        ranks = {place.node: place.rank for place in page}
        hits: list[Hit] = []
        for start in range(0, len(page), _HITS_PER_SLICE):
            if start:
                await asyncio.sleep(0)
            read = await self._documents.read(list(islice(ranks, start, start + _HITS_PER_SLICE)))
            hits += [Hit(ranks[texts.node], texts, highlights(texts, asked)) for texts in read]
        return Answer(total, hits)

    async def _find(self, wanted: Wanted, asked: Question) -> Found:
        if self._index is None:
            raise StoreUnavailable("the search index cannot be opened; the server's log says why")
        filters = Filters(
            wanted.kind,
            wanted.namespace,
            None if wanted.after is None else hour(wanted.after),
            None if wanted.before is None else hour(wanted.before),
        )
        version = self._index.version
        if version != self._kept_of:
            self._kept, self._kept_of = {}, version
        most, latest = wanted.offset + wanted.limit, wanted.sort == UPDATED
        key, kept = (wanted.text, filters, latest), self._kept
        found = kept.get(key) if most <= MOST_SORTED else None
        if found is None:
            try:
                found = await self._ask(search, self._folder, version, asked, filters, most, latest)
            except IndexUnusable as e:
                self.open_again()
                raise StoreUnavailable(f"the search index is damaged and is made anew: {e}") from e
            if found.total >= _MANY_HITS and len(kept) < _MOST_KEPT and most <= MOST_SORTED:
                kept[key] = found
        return found

    def _page(self, found: Found, wanted: Wanted) -> tuple[int, list[Place]]:
        """The places of one page, in exact order. The index knows hours only, and may be behind."""
        places, end = found.places, wanted.offset + wanted.limit
        exact = len(places) == found.total
        if wanted.sort is None and wanted.before is None and wanted.after is None:
            # Only as many as can be on this page.
            while 0 < end < len(places) and places[end][:2] == places[end - 1][:2]:
                end += 1
            total, places = found.total, places[:end]
        else:
            places = [place for place in places if self._fits(place.node, wanted)]
            total = len(places) if exact else found.total
        if wanted.sort is None:
            places = self._first(places, wanted.offset + wanted.limit)
        ordered = sorted(places, key=lambda place: self._order(place, wanted.sort))
        page = ordered[wanted.offset : wanted.offset + wanted.limit]
        return total, [place for place in page if is_shown(self._state, place.node)]

    def _first(self, places: list[Place], count: int) -> list[Place]:
        """The best ones, the latest first, so many and those that are as good as the last of them. Names decide
        between these: to look at the names of all would cost more than the rest of an answer."""
        if not 0 < count < len(places):
            return places
        keys = [(-place.rank, -last_seen(self._state, place.node)) for place in places]
        last = nsmallest(count, keys)[-1]
        return [place for place, key in zip(places, keys, strict=True) if key <= last]

    def _fits(self, node: Node, wanted: Wanted) -> bool:
        updated = last_seen(self._state, node)
        if wanted.after is not None and updated <= wanted.after:
            return False
        return wanted.before is None or updated < wanted.before

    def _order(self, place: Place, sort: str | None) -> tuple[float, str, float, str]:
        entity, updated = self._state.nodes[place.node], -last_seen(self._state, place.node)
        if sort == NAME:
            return 0, entity.name.casefold(), updated, entity.namespace
        if sort == UPDATED:
            return updated, entity.name, 0, entity.namespace
        return -place.rank, "", updated, f"{entity.name}\0{entity.namespace}"
