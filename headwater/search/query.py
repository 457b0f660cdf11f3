"""A question as a query of the index. Ranks are fixed, not weighed by how rare a word is: so the
same question gives the same order whatever else is stored, and people can tell why.

A hit has the average rank of its words, each by the best place where it was found, and far more
if the question as a whole is its name.
"""

from collections.abc import Iterable
from typing import NamedTuple

from tantivy import FieldType, Occur, Query, Schema

from headwater.search.documents import LONGEST_SHORT_START, LONGEST_START
from headwater.search.words import QueryWords, Word, namespace_term

_WHOLE = {"exact": 80.0, "tail": 60.0, "start": 40.0, "tail_start": 20.0}
_WORD = 10.0
_ELSEWHERE = {"marks": 6.0, "columns": 4.0, "namespace": 3.0, "description": 2.0, "sql": 1.0}
_SHORT_START = 0.5

# A word that is only the beginning of what was found, counts for nearly as much while it is
# being typed, and for half where another word follows it.
_UNFINISHED, _CUT = 0.9, 0.5

_WITH_A_TYPO = ("word", "marks", "columns", "description")
_TYPO = 0.4


class Filters(NamedTuple):
    kind: str | None = None
    namespace: str | None = None
    from_hour: int | None = None
    to_hour: int | None = None


class Queries:
    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def strict(self, words: QueryWords, filters: Filters) -> Query:
        """Every word is found, as it is or as a beginning."""
        every = [(Occur.Must, self._word(word, len(words.words))) for word in words.words]
        return self._with_whole(words, every, filters)

    def lenient(self, words: QueryWords, filters: Filters) -> Query:
        """Every word is found, some perhaps with a typo or written in parts."""
        every = [(Occur.Must, self._misspelt(word, len(words.words))) for word in words.words]
        return self._with_whole(words, every, filters)

    def loose(self, words: QueryWords, filters: Filters) -> Query:
        """Some word is found."""
        some = [(Occur.Should, self._misspelt(word, len(words.words))) for word in words.words]
        return self._with_whole(words, some, filters)

    def of_nodes(self, first: int, last: int | None) -> Query:
        """The documents of these nodes."""
        return Query.range_query(self._schema, "node", FieldType.Integer, first, last)

    def _with_whole(self, words: QueryWords, by_words: list[tuple[Occur, Query]], filters: Filters) -> Query:
        wholes = [self._term(field, words.whole, rank) for field, rank in _WHOLE.items()] if words.whole else []
        queries = [(Occur.Should, Query.disjunction_max_query(wholes))]
        if by_words:
            queries.append((Occur.Should, Query.boolean_query(by_words)))
        return Query.boolean_query([(Occur.Must, Query.boolean_query(queries)), *self._filters(filters)])

    def _filters(self, filters: Filters) -> Iterable[tuple[Occur, Query]]:
        if filters.kind is not None:
            yield Occur.Must, self._term("kind", filters.kind, 0.0)
        if filters.namespace is not None:
            yield Occur.Must, self._term("in_namespace", namespace_term(filters.namespace), 0.0)
        if filters.from_hour is not None or filters.to_hour is not None:
            hours = Query.range_query(self._schema, "hour", FieldType.Unsigned, filters.from_hour, filters.to_hour)
            yield Occur.Must, Query.const_score_query(hours, 0.0)

    def _word(self, word: Word, of: int) -> Query:
        return Query.disjunction_max_query(self._places(word.text, word.last, of))

    def _places(self, text: str, last: bool, of: int) -> list[Query]:
        """Everywhere that a word may stand, whole or as a beginning."""
        start = (_UNFINISHED if last else _CUT) / of
        queries = [self._term("word", text, _WORD / of)]
        queries += [self._term(field, text, rank / of) for field, rank in _ELSEWHERE.items()]
        if len(text) <= LONGEST_START:
            queries.append(self._term("word_start", text, _WORD * start))
        else:
            queries.append(self._beginning("word", text, _WORD * start))
        if len(text) <= LONGEST_SHORT_START:
            queries.append(self._term("short", text, _SHORT_START * start))
        else:
            queries += [self._beginning(field, text, rank * start) for field, rank in _ELSEWHERE.items()]
        return queries

    def _misspelt(self, word: Word, of: int) -> Query:
        queries = self._places(word.text, word.last, of)
        if word.may_have_a_typo:
            ranks = {"word": _WORD, **_ELSEWHERE}
            queries += [
                Query.const_score_query(
                    Query.fuzzy_term_query(self._schema, field, word.text, 1, True, word.last),
                    ranks[field] * _TYPO / of,
                )
                for field in _WITH_A_TYPO
            ]
        if word.parts:
            pieces = [Word(part, (), word.last and part == word.parts[-1]) for part in word.parts]
            each = [(Occur.Must, self._word(piece, of * len(pieces))) for piece in pieces]
            queries.append(Query.boolean_query(each))
        return Query.disjunction_max_query(queries)

    def _term(self, field: str, text: str, rank: float) -> Query:
        return Query.const_score_query(Query.term_query(self._schema, field, text, "basic"), rank)

    def _beginning(self, field: str, text: str, rank: float) -> Query:
        return Query.const_score_query(Query.fuzzy_term_query(self._schema, field, text, 0, True, True), rank)
