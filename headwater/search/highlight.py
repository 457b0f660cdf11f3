"""Where the words of a question stand in a hit: pieces of text with `<em>` around them."""

from collections.abc import Iterable, Iterator
from html import escape

from headwater.search.documents import Texts
from headwater.search.words import Question, Word, parts, plain_with_places, runs

Span = tuple[int, int]

# Columns, tags and the like: so many of a kind are enough to see why something was found.
_MOST_OF_A_KIND = 5

# Of longer texts a piece around the first word is shown.
_LONGEST_PIECE, _BEFORE = 200, 60


def highlights(texts: Texts, asked: Question) -> list[tuple[str, str]]:
    """Pairs of a field and a piece of its text, HTML but for the hits, the best field first."""
    found = [(field, text, [_spans(text, word) for word in asked.words]) for field, text in _pieces(texts)]
    missed = [number for number in range(len(asked.words)) if not any(by_word[number] for _, _, by_word in found)]
    for number in missed:
        for _, text, by_word in found:
            by_word[number] = _loose_spans(text, asked.words[number])
    count: dict[str, int] = {}
    shown = []
    for field, text, by_word in found:
        spans = sorted(span for spans in by_word for span in spans)
        if spans and count.setdefault(field, 0) < _MOST_OF_A_KIND:
            count[field] += 1
            shown.append((field, _marked(text, spans)))
    return shown


def _pieces(texts: Texts) -> Iterator[tuple[str, str]]:
    yield "name", texts.name
    yield from (("name", alias) for alias in texts.aliases)
    yield from (("tags", tag) for tag in texts.tags)
    yield from (("owners", owner) for owner in texts.owners)
    yield from (("columns", column) for column in texts.columns)
    yield "namespace", texts.namespace
    if texts.description:
        yield "description", texts.description
    yield from (("description", text) for text in texts.column_descriptions)
    if texts.sql:
        yield "sql", texts.sql


def _candidates(text: str) -> Iterator[tuple[list[int], str]]:
    """Each word of a text, whole runs before their parts, with the places of its letters."""
    letters, places = plain_with_places(text) if not text.isascii() else (text, range(len(text)))
    for start, run in runs(letters):
        for at, part in ((0, run), *parts(run)):
            first = start + at
            yield list(places[first : first + len(part)]), part.casefold()


def _spans(text: str, word: Word) -> list[Span]:
    return [
        (places[0], places[min(len(word.text), len(places)) - 1] + 1)
        for places, candidate in _candidates(text)
        if candidate.startswith(word.text)
    ]


def _loose_spans(text: str, word: Word) -> list[Span]:
    found = [span for part in word.parts for span in _spans(text, Word(part))]
    if word.may_have_a_typo:
        found += [
            (places[0], places[-1] + 1)
            for places, candidate in _candidates(text)
            if is_close(candidate, word.text, beginning=word.last)
        ]
    return found


def is_close(text: str, word: str, *, beginning: bool) -> bool:
    """Whether one letter more, less, other or swapped makes the word of the text, or of its
    beginning."""
    if not beginning:
        return _is_close(text, word)
    return any(_is_close(text[:length], word) for length in (len(word) - 1, len(word), len(word) + 1))


def _is_close(a: str, b: str) -> bool:
    if abs(len(a) - len(b)) > 1:
        return False
    same = 0
    while same < min(len(a), len(b)) and a[same] == b[same]:
        same += 1
    a, b = a[same:], b[same:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])


def _marked(text: str, spans: Iterable[Span]) -> str:
    merged: list[Span] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    first, last = _piece(text, merged[0])
    shown, at = ["…" if first else ""], first
    for start, end in merged:
        if end > last:
            break
        shown += [_safe(text[at:start]), "<em>", _safe(text[start:end]), "</em>"]
        at = end
    return "".join((*shown, _safe(text[at:last]), "…" if last < len(text) else ""))


def _piece(text: str, hit: Span) -> Span:
    if len(text) <= _LONGEST_PIECE:
        return 0, len(text)
    first = max(0, hit[0] - _BEFORE)
    if first:  # not in the middle of a word, if there is a blank near
        first += max(0, text[first : hit[0]].find(" ") + 1)
    return first, min(len(text), max(first + _LONGEST_PIECE, hit[1]))


def _safe(text: str) -> str:
    return escape(text, quote=False)
