"""Where the words of a question stand in a hit: pieces of text with `<em>` around them."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from headwater.search.documents import Document
from headwater.search.words import QueryWords, Word, parts, plain, plain_with_places, runs

Span = tuple[int, int]

# Columns, tags and the like: so many of a kind are enough to see why something was found.
_MOST_OF_A_KIND = 5

# Of longer texts a piece around the first word is shown.
_LONGEST_PIECE, _BEFORE = 200, 60


def highlights(document: Document, words: QueryWords) -> list[tuple[str, str]]:
    """Pairs of a field and a piece of its text, HTML but for the hits.

    The best fields come first, and none after all words were found: whoever typed the name of a
    table need not read all the columns that have it too."""
    shown: list[tuple[str, str]] = []
    missed = set(words.words)
    for field, pieces in _fields(document):
        of_this_kind = 0
        for piece in pieces:
            # Nearly all pieces have none of the words, which is seen at once.
            low = plain(piece).casefold()
            here = [word for word in words.words if word.text in low]
            if here and (spans := _spans(piece, here, missed)):
                shown.append((field, _marked(piece, spans)))
                of_this_kind += 1
                if of_this_kind == _MOST_OF_A_KIND:
                    break
        if not missed:
            return shown
    return shown + [place for word in missed if (place := _loosely(document, word)) is not None]


def _fields(document: Document) -> Iterator[tuple[str, Sequence[str]]]:
    yield "name", (document.name, *document.aliases)
    yield "tags", document.tags
    yield "owners", document.owners
    yield "columns", document.columns
    yield "namespace", (document.namespace,)
    yield "description", (document.description or "", *document.column_descriptions)
    yield "sql", (document.sql or "",)


def _loosely(document: Document, word: Word) -> tuple[str, str] | None:
    """Where a word stands with a typo, or in parts."""
    for field, pieces in _fields(document):
        for piece in pieces:
            if spans := _loose_spans(piece, word):
                return field, _marked(piece, spans)
    return None


def _candidates(text: str) -> Iterator[tuple[str, Sequence[int]]]:
    """Each word of a text, whole runs before their parts, with the places of its letters."""
    letters, places = (text, range(len(text))) if text.isascii() else plain_with_places(text)
    for start, run in runs(letters):
        yield run.casefold(), places[start : start + len(run)]
        for at, part in parts(run):
            yield part.casefold(), places[start + at : start + at + len(part)]


def _spans(text: str, words: Iterable[Word], missed: set[Word]) -> list[Span]:
    """Where words begin words of the text; they are not missed any more."""
    spans = []
    for candidate, places in _candidates(text):
        for word in words:
            if candidate.startswith(word.text):
                spans.append((places[0], places[min(len(word.text), len(places)) - 1] + 1))
                missed.discard(word)
    return spans


def _loose_spans(text: str, word: Word) -> list[Span]:
    spans = _spans(text, [Word(part) for part in word.parts], set()) if word.parts else []
    if word.may_have_a_typo:
        spans += [
            (places[0], places[-1] + 1)
            for candidate, places in _candidates(text)
            if is_close(candidate, word.text, beginning=word.last)
        ]
    return spans


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
    for start, end in sorted(spans):
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
        first += text[first : hit[0]].find(" ") + 1
    return first, min(len(text), max(first + _LONGEST_PIECE, hit[1]))


def _safe(text: str) -> str:
    return escape(text, quote=False)
