"""The web page: files that `make page` built into the package, and the page's own addresses.

A plain ASGI handler beside the API, whose paths it does not touch. The page is a program that runs
in the browser and reads its own address, so all of its addresses get the same `index.html`.
"""

import gzip
import re
from dataclasses import dataclass
from pathlib import Path

from headwater.api.ingest import Scope, Send

FOLDER = Path(__file__).parent.parent / "page"

ROUTES = frozenset(("/", "/graph", "/search", "/connectors", "/events", "/impact", "/why", "/compare"))

# Names that the build gives: `assets/graph-D8ObQxz8.js`, `icon.svg`. No dots at the start, no way up.
_FILE = re.compile(r"/((?:assets/)?[\w-][\w.-]*\.\w+)")

_NOT_BUILT = b"""Headwater's API is here, but its page was not built.

With Node 20.19 or newer, in the repository:  make page
The API describes itself at /schema/openapi.json
"""

# Everything comes from this server. Mantine and xyflow set styles on elements.
_POLICY = (
    b"default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    b"worker-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"
)
# Not from the system's table, which is not everywhere the same.
_OTHER_KINDS = {".woff2": "font/woff2", ".png": "image/png"}
_TEXT_KINDS = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
_WORTH_PACKING = 1024


@dataclass(frozen=True, slots=True)
class _File:
    changed: int
    kind: str
    content: bytes
    packed: bytes | None


class Page:
    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder
        self._cache: dict[str, _File] = {}

    def has(self, path: str) -> bool:
        """Whether this path is the page's, and not the API's."""
        return path in ROUTES or ((file := _FILE.fullmatch(path)) is not None and self._file(file[1]) is not None)

    async def __call__(self, scope: Scope, send: Send) -> None:
        path = scope["path"]
        name = "index.html" if path in ROUTES else path[1:]
        file = self._file(name)
        if file is None:
            await _answer(send, 503, [(b"content-type", b"text/plain; charset=utf-8")], _NOT_BUILT)
            return
        # A file in assets has a hash of its content in its name, so it never changes.
        forever = name.startswith("assets/")
        headers = [
            (b"content-type", file.kind.encode()),
            (b"cache-control", b"public, max-age=31536000, immutable" if forever else b"no-cache"),
            (b"x-content-type-options", b"nosniff"),
            (b"vary", b"accept-encoding"),
        ]
        if name == "index.html":
            headers += [(b"content-security-policy", _POLICY), (b"referrer-policy", b"same-origin")]
        if file.packed is not None and _takes_gzip(scope):
            headers.append((b"content-encoding", b"gzip"))
            await _answer(send, 200, headers, file.packed)
        else:
            await _answer(send, 200, headers, file.content)

    def _file(self, name: str) -> _File | None:
        """From memory, unless the page was built anew meanwhile."""
        path = self._folder / name
        try:
            changed = path.stat().st_mtime_ns
            cached = self._cache.get(name)
            if cached is not None and cached.changed == changed:
                return cached
            content = path.read_bytes()
        except OSError:
            return None
        text = _TEXT_KINDS.get(path.suffix)
        packed = gzip.compress(content, mtime=0) if text is not None and len(content) >= _WORTH_PACKING else None
        kind = text or _OTHER_KINDS.get(path.suffix, "application/octet-stream")
        file = self._cache[name] = _File(changed, kind, content, packed)
        return file


def _takes_gzip(scope: Scope) -> bool:
    return any(name == b"accept-encoding" and b"gzip" in value for name, value in scope["headers"])


async def _answer(send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    headers = [*headers, (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
