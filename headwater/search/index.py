"""The index on disk, kept by tantivy.

Opening and writing run in a thread, as they release Python's lock. Searches run where questions to the
store do, in processes that only read.
"""

import json
import shutil
import struct
import threading
import time
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import tantivy

from headwater.errors import HeadwaterError
from headwater.ids import Node
from headwater.search.documents import Document, hour, terms
from headwater.search.query import Filters, Queries
from headwater.search.words import QueryWords

# Raise it whenever documents or terms change: the index is then made anew.
FORMAT = 3

_TERMS = (
    *("kind", "in_namespace", "exact", "tail", "start", "tail_start", "word", "word_start"),
    *("marks", "columns", "namespace", "description", "sql", "short"),
)

# Half of it is enough for what a second brings, and the rest makes building it faster.
_WRITER_BYTES = 50_000_000

# As many hits are put in order by the exact time of their last change; beyond that the hour
# decides.
MOST_SORTED = 1000

# With fewer hits than this a question is asked again, and typos are forgiven.
_FEW = 5

# Tantivy multiplies the rank with log2(2 + weight), and the hours from 2015 to 2075 are spread
# over this share of it: less than ranks differ, and as fine as its 32-bit floats can be.
_SHARE, _FIRST_HOUR, _HOURS = 0.04, 394_000, 526_000

_NODES_PER_READ = 20_000
_ATTEMPTS = 2
_FOOTER_MAGIC = 1337


class IndexUnusable(HeadwaterError):
    """The index is missing, damaged or of another format; it has to be made anew."""


class Place(NamedTuple):
    """Where a hit stands among the others."""

    rank: float  # 0 for the latest among very many
    hour: int
    node: Node


class Matches(msgspec.Struct, frozen=True, gc=False):
    total: int
    places: list[Place]  # the best first, or the latest


class Version(NamedTuple):
    """Of an index: when it was opened to be written, and how often it was since."""

    opened: int
    commits: int


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    try:
        yield
    except BaseException as e:
        # A panic of tantivy, as damaged files may cause, is no Exception.
        if isinstance(e, Exception) or type(e).__module__ == "pyo3_runtime":
            raise IndexUnusable(f"{folder}: {e}") from e
        raise


class Searching:
    """An index as it was at its last commit. Another process may write it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with _explained(folder):
            self._index = tantivy.Index(_schema(), path=str(folder))
            self._index.register_tokenizer("lines", _lines())
            self._index.config_reader("manual")
            self._queries = Queries(self._index.schema)
            self._searcher = self._index.searcher()

    def reload(self) -> None:
        with _explained(self._folder):
            self._index.reload()
            self._searcher = self._index.searcher()

    def search(self, words: QueryWords, filters: Filters, most: int, *, latest: bool = False) -> Matches:
        """At least so many hits, if there are, and all up to MOST_SORTED: the best ones, or the
        latest ones."""
        searcher = self._searcher
        # Tantivy makes room for as many as it is asked for, whether there are or not.
        limit = min(max(most, MOST_SORTED), max(searcher.num_docs, 1))
        with _explained(self._folder):
            query = self._queries.strict(words, filters)
            matches = _best(searcher, query, limit)
            if matches.total < _FEW:
                if words.has_other_spellings:
                    query = self._queries.lenient(words, filters)
                    matches = _best(searcher, query, limit)
                if not matches.total and len(words.words) > 1:
                    query = self._queries.loose(words, filters)
                    matches = _best(searcher, query, limit)
            return _latest(searcher, query, limit) if latest and matches.total > limit else matches


class Index(Searching):
    def __init__(self, folder: Path, *, anew: bool = False) -> None:
        """Opens it. Raises IndexUnusable unless it is to be made anew."""
        with _explained(folder):
            if anew:
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir(parents=True)
            else:
                _check(folder)
        super().__init__(folder)
        with _explained(folder):
            self._writer: tantivy.IndexWriter | None = self._index.writer(_WRITER_BYTES, 1)
            if anew:
                (folder / "format").write_text(str(FORMAT))
            self._writing = threading.Lock()
        self.version = Version(time.time_ns(), 0)

    # Writing

    def add(self, documents: Iterable[tuple[Document, int]], gone: Iterable[Node]) -> None:
        """Puts documents, each with its fingerprint, in the place of what is there of them."""
        with self._writing, _explained(self._folder):
            assert self._writer is not None
            for node in gone:
                self._writer.delete_documents_by_term("node", node)
            for document, fingerprint in documents:
                self._writer.delete_documents_by_term("node", document.node)
                self._writer.add_document(_indexed(document, fingerprint))

    def commit(self) -> None:
        """All that was added is on disk and can be found."""
        with self._writing, _explained(self._folder):
            self._publish()

    def _publish(self) -> None:
        assert self._writer is not None
        self._writer.commit()
        self.reload()
        self.version = self.version._replace(commits=self.version.commits + 1)

    def close(self) -> None:
        with self._writing:
            self._writer = None  # what was not committed is gone, and so is the lock on the folder

    # Reading

    def fingerprints(self, nodes: int) -> "array[int]":
        """Of each node the fingerprint of its document, 0 without one. Documents of nodes beyond
        that are dropped: they belong to another log."""
        fingerprints = array("Q", bytes(8 * nodes))
        searcher = self._searcher
        with self._writing, _explained(self._folder):
            for first in range(0, nodes, _NODES_PER_READ):
                these = self._queries.of_nodes(first, min(first + _NODES_PER_READ, nodes) - 1)
                hits = searcher.search(these, _NODES_PER_READ, order_by_field="node").hits
                prints: list[Any] = searcher.fast_field_values("fingerprint", [address for _, address in hits])
                for (node, _), fingerprint in zip(hits, prints, strict=True):
                    fingerprints[node] = fingerprint
            beyond = self._queries.of_nodes(nodes, None)
            if searcher.search(beyond, 1).hits:
                assert self._writer is not None
                self._writer.delete_documents_by_query(beyond)
                self._publish()
        return fingerprints

    def size(self) -> int:
        return sum(file.stat().st_size for file in self._folder.iterdir() if file.is_file())


_last: list[tuple[Path, Version, Searching]] = []


def search(folder: Path, version: Version, words: QueryWords, filters: Filters, most: int, latest: bool) -> Matches:
    """For a process or thread of its own: opens the index if need be, and looks again if it was written since."""
    for _ in range(_ATTEMPTS):
        try:
            return _searching(folder, version).search(words, filters, most, latest=latest)
        except IndexUnusable:
            # The writer may have taken files away that were in use a moment ago.
            _last.clear()
    return _searching(folder, version).search(words, filters, most, latest=latest)


def _searching(folder: Path, version: Version) -> Searching:
    for known, seen, searching in _last:
        if known == folder and seen.opened == version.opened:
            if seen.commits < version.commits:
                searching.reload()
                _last[:] = [(folder, version, searching)]
            return searching
    searching = Searching(folder)
    _last[:] = [(folder, version, searching)]
    return searching


def _best(searcher: tantivy.Searcher, query: tantivy.Query, limit: int) -> Matches:
    total, hits = _search(searcher, query, limit, weight_by_field="weight")
    factors = {at: _factor(at) for at in {at for _, _, at in hits}}
    places = [Place(round(score / factors[at], 2), at, node) for score, node, at in hits]
    places.sort(key=itemgetter(0, 1), reverse=True)
    return Matches(total, places)


def _latest(searcher: tantivy.Searcher, query: tantivy.Query, limit: int) -> Matches:
    total, hits = _search(searcher, query, limit, order_by_field="hour")
    return Matches(total, [Place(0.0, at, node) for _, node, at in hits])


def _search(
    searcher: tantivy.Searcher, query: tantivy.Query, limit: int, **order: str
) -> tuple[int, list[tuple[float, Node, int]]]:
    answer: Any = searcher.search(query, limit, **order)  # type: ignore[arg-type]
    addresses = [address for _, address in answer.hits]
    nodes: list[Any] = searcher.fast_field_values("node", addresses)
    hours: list[Any] = searcher.fast_field_values("hour", addresses)
    scores = (score for score, _ in answer.hits)
    return answer.count, list(zip(scores, nodes, hours, strict=True))


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    # Signed, as a term to delete by is made of a signed number: it would never fit an unsigned field.
    builder.add_integer_field("node", indexed=True, fast=True)
    builder.add_unsigned_field("fingerprint", fast=True)
    builder.add_unsigned_field("hour", indexed=True, fast=True)
    builder.add_float_field("weight", fast=True)
    for field in _TERMS:
        builder.add_text_field(field, tokenizer_name="lines", index_option="basic")
    return builder.build()


def _lines() -> tantivy.TextAnalyzer:
    """Terms come ready-made, one a line."""
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.regex(r"[^\n]+")).build()


def _indexed(document: Document, fingerprint: int) -> tantivy.Document:
    at = hour(document.updated)
    indexed = tantivy.Document()
    indexed.add_integer("node", document.node)
    indexed.add_unsigned("fingerprint", fingerprint)
    indexed.add_unsigned("hour", at)
    indexed.add_float("weight", 2 ** _factor(at) - 2)
    for field, its_terms in terms(document).items():
        if its_terms:
            indexed.add_text(field, "\n".join(its_terms))
    return indexed


def _factor(at: int) -> float:
    return 1 + _SHARE * min(max((at - _FIRST_HOUR) / _HOURS, 0.0), 1.0)


def _check(folder: Path) -> None:
    """Damage is noticed before tantivy reads it: it trusts its files, and could take a cut or
    overwritten one for anything. Each has a checksum in its last bytes."""
    if int((folder / "format").read_text()) != FORMAT:
        raise ValueError("it is of another format")
    segments: Sequence[dict[str, str]] = json.loads((folder / "meta.json").read_bytes())["segments"]
    ours = {segment["segment_id"].replace("-", "") for segment in segments}
    for file in folder.iterdir():
        if file.name.partition(".")[0] in ours:
            _check_sum(file)


def _check_sum(file: Path) -> None:
    content = memoryview(file.read_bytes())
    length, magic = struct.unpack("<II", content[-8:])
    if magic != _FOOTER_MAGIC:
        raise ValueError(f"{file.name} is cut or overwritten")
    footer = json.loads(bytes(content[-8 - length : -8]))
    if zlib.crc32(content[: -8 - length]) != footer["crc"]:
        raise ValueError(f"{file.name} is damaged")
