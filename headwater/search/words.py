"""Texts as words: names fall into the parts that people remember of them.

default.supplier_stats   default · supplier · stats
ordersIngestion2         ordersingestion2 · orders · ingestion · 2
Café                     cafe
订单                     订 · 单
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from unicodedata import combining, normalize

import msgspec

# Scripts without blanks between words: each character is a word.
_CJK = (
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003134f"
)
_RUN = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")
_ASCII_RUN = re.compile("[A-Za-z0-9]+")  # the same for most texts, and twice as fast
_PART = re.compile(r"\d+|[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+")
_COMPONENT = re.compile(r"[./:\\]+")
_SURROGATES = range(0xD800, 0xE000)

# Longer words are cut, in texts and in questions alike.
_LONGEST_WORD = 64
_LONGEST_NAME = 512
_MOST_TAILS = 8

_CACHED_WORDS = 16_384

# Nobody types more than this, and each word is a query of its own.
_LONGEST_QUERY, _MOST_WORDS = 1000, 24


def plain(text: str) -> str:
    """Without accents and other marks, in one form for each letter; upper case stays."""
    if text.isascii():
        return text
    return "".join(c for c in normalize("NFKD", text) if not combining(c) and ord(c) not in _SURROGATES)


def plain_with_places(text: str) -> tuple[str, list[int]]:
    """The same, and for each character the place in `text` that it comes from."""
    letters: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text):
        for made in plain(letter):
            letters.append(made)
            places.append(place)
    return "".join(letters), places


def folded(text: str) -> str:
    """A name as a whole, for comparing it with a question."""
    return " ".join(plain(text[:_LONGEST_NAME]).casefold().split())


def namespace_term(namespace: str) -> str:
    """A namespace as a filter has it. Namespaces may be empty, which terms may not."""
    return "=" + namespace[:_LONGEST_NAME].replace("\n", " ").encode(errors="replace").decode()


def _word(text: str) -> str:
    return text.casefold()[:_LONGEST_WORD]


def _run(text: str) -> "re.Pattern[str]":
    return _ASCII_RUN if text.isascii() else _RUN


def runs(text: str) -> Iterator[tuple[int, str]]:
    """Letters and digits that stand together in a plain text, and where."""
    return ((match.start(), match[0]) for match in _run(text).finditer(text))


@lru_cache(_CACHED_WORDS)
def parts(run: str) -> tuple[tuple[int, str], ...]:
    """`ordersIngestion2` → orders, Ingestion, 2 and where; nothing for a run that has no parts."""
    if run.isalpha() and (run.islower() or run.isupper()):
        return ()
    with_places = tuple((part.start(), part[0]) for part in _PART.finditer(run))
    return with_places if len(with_places) > 1 else ()


@lru_cache(_CACHED_WORDS)
def _words_of(run: str) -> tuple[str, ...]:
    return (_word(run), *(_word(part) for _, part in parts(run)))


def words(texts: Iterable[str]) -> set[str]:
    """All words of texts, whole runs and their parts."""
    text = plain("\n".join(texts))
    return set(chain.from_iterable(map(_words_of, set(_run(text).findall(text)))))


def tails(name: str) -> set[str]:
    """`demo.default.orders` → default.orders, orders."""
    name = folded(name)
    starts = [match.end() for match in _COMPONENT.finditer(name)][-_MOST_TAILS:]
    return {name[start:] for start in starts if start < len(name)}


class Word(msgspec.Struct, frozen=True, gc=False):
    text: str
    parts: tuple[str, ...] = ()  # of a word in camel case, which somebody else may write with dashes
    last: bool = False  # it may not be finished

    @property
    def may_have_a_typo(self) -> bool:
        return sum(map(str.isalpha, self.text)) >= _LETTERS_FOR_A_TYPO


# In shorter words one letter makes too much of a difference.
_LETTERS_FOR_A_TYPO = 5


class QueryWords(msgspec.Struct, frozen=True, gc=False):
    whole: str
    words: tuple[Word, ...]

    @property
    def has_other_spellings(self) -> bool:
        return any(word.parts or word.may_have_a_typo for word in self.words)


def query_words(text: str) -> QueryWords:
    """What somebody typed, the last word perhaps not finished."""
    text = text[:_LONGEST_QUERY]
    by_word = {_word(run): run for _, run in runs(plain(text))}
    chosen = list(by_word.items())[:_MOST_WORDS]
    last = len(chosen) - 1
    return QueryWords(
        folded(text),
        tuple(Word(word, _camel(run), number == last) for number, (word, run) in enumerate(chosen)),
    )


def _camel(run: str) -> tuple[str, ...]:
    words = [part for _, part in parts(run) if not part.isdigit()]
    return tuple(map(_word, words)) if len(words) > 1 else ()
