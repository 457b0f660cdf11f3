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
from headwater.search.documents import Document, hour
from headwater.search.following import Following
from headwater.search.highlight import highlights
from headwater.search.index import MOST_SORTED, IndexUnusable, Matches, Place, Version, search
from headwater.search.query import Filters
from headwater.search.words import QueryWords, query_words

# Answers with many hits take milliseconds, and short queries come again and again while people
# type. They are cached until the index changes.
_MANY_HITS, _MOST_CACHED = 5000, 64

# Hits are read in slices of about a millisecond.
_HITS_PER_SLICE = 16

NAME, UPDATED = "NAME", "UPDATE_AT"


class SearchQuery(msgspec.Struct, frozen=True, gc=False):
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
    document: Document
    highlights: list[tuple[str, str]]


class Answer(msgspec.Struct, frozen=True, gc=False):
    total: int
    hits: list[Hit]


class Search(Following):
    def __init__(self, service: Service, contents: Contents, data: Path) -> None:
        super().__init__(service, contents, data)
        self._ask = service.run_query
        self._cache: dict[tuple[str, Filters, bool], Matches] = {}
        self._cache_version: Version | None = None

    async def ask(self, query: SearchQuery) -> Answer:
        await self.catch_up()
        if query.sort == UPDATED or query.after is not None or query.before is not None:
            await self.catch_up_times()
        words = query_words(query.text)
        matches = await self._find(query, words)
        total, page = self._page(matches, query)
        ranks = {place.node: place.rank for place in page}
        hits: list[Hit] = []
        for start in range(0, len(page), _HITS_PER_SLICE):
            if start:
                await asyncio.sleep(0)
            read = await self._documents.read(list(islice(ranks, start, start + _HITS_PER_SLICE)))
            hits += [Hit(ranks[document.node], document, highlights(document, words)) for document in read]
        return Answer(total, hits)

    async def _find(self, query: SearchQuery, words: QueryWords) -> Matches:
        if self._index is None:
            raise StoreUnavailable("the search index cannot be opened; the server's log says why")
        filters = Filters(
            query.kind,
            query.namespace,
            None if query.after is None else hour(query.after),
            None if query.before is None else hour(query.before),
        )
        version = self._index.version
        if version != self._cache_version:
            self._cache, self._cache_version = {}, version
        most, latest = query.offset + query.limit, query.sort == UPDATED
        key, cache = (query.text, filters, latest), self._cache
        matches = cache.get(key) if most <= MOST_SORTED else None
        if matches is None:
            try:
                matches = await self._ask(search, self._folder, version, words, filters, most, latest)
            except IndexUnusable as e:
                self.open_again()
                raise StoreUnavailable(f"the search index is damaged and is made anew: {e}") from e
            if matches.total >= _MANY_HITS and len(cache) < _MOST_CACHED and most <= MOST_SORTED:
                cache[key] = matches
        return matches

    def _page(self, matches: Matches, query: SearchQuery) -> tuple[int, list[Place]]:
        """The places of one page, in exact order. The index knows hours only, and may be behind."""
        places, end = matches.places, query.offset + query.limit
        exact = len(places) == matches.total
        if query.sort is None and query.before is None and query.after is None:
            # Only as many as can be on this page.
            while 0 < end < len(places) and places[end][:2] == places[end - 1][:2]:
                end += 1
            total, places = matches.total, places[:end]
        else:
            places = [place for place in places if self._fits(place.node, query)]
            total = len(places) if exact else matches.total
        if query.sort is None:
            places = self._first(places, query.offset + query.limit)
        ordered = sorted(places, key=lambda place: self._order(place, query.sort))
        page = ordered[query.offset : query.offset + query.limit]
        return total, [place for place in page if is_shown(self._state, place.node)]

    def _first(self, places: list[Place], count: int) -> list[Place]:
        """The best ones, the latest first, so many and those that are as good as the last of them. Names decide
        between these: to look at the names of all would cost more than the rest of an answer."""
        if not 0 < count < len(places):
            return places
        keys = [(-place.rank, -last_seen(self._state, place.node)) for place in places]
        last = nsmallest(count, keys)[-1]
        return [place for place, key in zip(places, keys, strict=True) if key <= last]

    def _fits(self, node: Node, query: SearchQuery) -> bool:
        updated = last_seen(self._state, node)
        if query.after is not None and updated <= query.after:
            return False
        return query.before is None or updated < query.before

    def _order(self, place: Place, sort: str | None) -> tuple[float, str, float, str]:
        entity, updated = self._state.nodes[place.node], -last_seen(self._state, place.node)
        if sort == NAME:
            return 0, entity.name.casefold(), updated, entity.namespace
        if sort == UPDATED:
            return updated, entity.name, 0, entity.namespace
        return -place.rank, "", updated, f"{entity.name}\0{entity.namespace}"
