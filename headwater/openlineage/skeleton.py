"""An event without its facets, and back again, byte for byte.

Facets make up nine tenths of an event and repeat from one to the next. The log keeps each
once, under its content id, and of the event itself only the text around them:

    {"run":{"runId":"…","facets":{"nominalTime":␀8531…␀}},"job":…

NUL cannot stand in JSON, so it marks the places without any escaping.
"""

import re
from collections.abc import Callable, Iterable

import msgspec

from headwater.ids import ContentId

_MARK = re.compile(rb"\x00(-?\d+)\x00")

# Shorter facets cost less in place than as a row of their own.
_MIN_FACET_BYTES = 48

# A needle of this size is found at once; longer ones make the search prepare tables first.
_NEEDLE_BYTES = 64

# Facets begin alike, so where the next one begins, most likely this one does.
_START_BYTES = 12

# Names, brackets and small fields lie between one facet and the next.
_REACH = 4096


class Facet(msgspec.Struct, frozen=True, gc=False):
    content_id: ContentId
    content: bytes  # its JSON, as it was sent
    value: ContentId  # what its register gets: the content id, or DELETED where the facet is taken back


def cut_out(text: bytes, facets: Iterable[Facet]) -> bytes:
    """The text with a mark in place of each facet. Facets that come in the order of the text
    are found at once; any other order only takes longer."""
    cuts: list[tuple[int, int, ContentId]] = []
    cursor = 0
    in_order = True
    for facet in facets:
        content = facet.content
        if len(content) < _MIN_FACET_BYTES:
            continue
        at = text.find(content[:_START_BYTES], cursor, cursor + _REACH)
        if at < 0 or not text.startswith(content, at):
            at = _find(text, content, cursor)
            in_order = False
        cursor = at + len(content)
        cuts.append((at, cursor, facet.content_id))
    if not cuts:
        return text
    if not in_order:
        # One facet's text may lie inside another's: the outer one, which starts first, wins.
        cuts.sort(key=lambda cut: (cut[0], -cut[1]))
    parts: list[bytes] = []
    done = 0
    for start, end, content_id in cuts:
        if start >= done:
            parts += (text[done:start], b"\x00%d\x00" % content_id)
            done = end
    parts.append(text[done:])
    return b"".join(parts)


def _find(text: bytes, content: bytes, near: int) -> int:
    """The place of `content`, searched for in growing distance from `near`, ahead first. So facets of one
    dataset in another order cost little; only those of another part of the event cost more."""
    needle = content[:_NEEDLE_BYTES]
    reach = _REACH
    while True:
        at = text.find(needle, near, near + reach)
        while at >= 0 and not text.startswith(content, at):
            at = text.find(needle, at + 1, near + reach)
        if at >= 0:
            return at
        at = text.rfind(needle, max(near - reach, 0), near)
        while at >= 0 and not text.startswith(content, at):
            at = text.rfind(needle, max(near - reach, 0), at + len(needle) - 1)
        if at >= 0:
            return at
        if reach > len(text):
            raise AssertionError("a facet is part of its event")
        reach *= 4


def references(skeleton: bytes) -> Iterable[ContentId]:
    return {ContentId(int(number)) for number in _MARK.findall(skeleton)}


def put_back(skeleton: bytes, content_of: Callable[[ContentId], bytes]) -> bytes:
    """The event's own text."""
    return _MARK.sub(lambda mark: content_of(ContentId(int(mark[1]))), skeleton)
