"""Names with slashes in paths.

Namespaces such as `s3://warehouse` come percent-encoded as one segment, but servers hand on
the path decoded, where an encoded slash looks like any other. So each segment of the raw
path is decoded by itself, with a stand-in for its slashes that no name has.
"""

from urllib.parse import unquote

from headwater.errors import BadRequest

_SLASH, _NOTHING = "\udc2f", "\udc00"  # halves of surrogate pairs, which no text has


def routable(raw_path: bytes) -> str:
    """The path to route by. Raises BadRequest where it stands for no text."""
    parts = raw_path.decode("latin-1").partition("?")[0].split("/")
    try:
        decoded = [unquote(part, errors="strict").replace("/", _SLASH) for part in parts]
    except UnicodeDecodeError:
        raise BadRequest("the path is not percent-encoded UTF-8") from None
    # An empty namespace gives an empty segment between two slashes.
    inner = [part or _NOTHING for part in decoded[1:-1]]
    return "/".join([decoded[0], *inner, decoded[-1]]) if len(decoded) > 1 else decoded[0]


def segment(text: str) -> str:
    """A path parameter as the client meant it."""
    return text.replace(_SLASH, "/").replace(_NOTHING, "")
