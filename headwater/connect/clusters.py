"""The Connect clusters that a server knows, by the namespaces of their jobs."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from headwater.connect.operate import Operator
from headwater.errors import BadRequest, NotAllowed, NotFound

_DEFAULT_NAME = "kafka-connect"  # as the watcher's


class Clusters:
    def __init__(self, told: str, *, allowed: bool) -> None:
        """`told`: NAME=URL, with commas between."""
        self._known = {name: Operator(name, url) for name, url in _read(told)}
        self.allowed = allowed

    def __iter__(self) -> Iterator[Operator]:
        return iter(self._known.values())

    def find(self, name: str) -> Operator:
        found = self._known.get(name)
        if found is None:
            known = ", ".join(map(repr, self._known)) or "none: start the server with --connect NAME=URL"
            raise NotFound(f"no Connect cluster {name!r}. Known: {known}")
        return found

    def to_change(self, name: str) -> Operator:
        found = self.find(name)
        if not self.allowed:
            raise NotAllowed("this server only looks at connectors; start it with --operate to let it change them")
        return found


def _read(told: str) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for each in filter(None, (part.strip() for part in told.split(","))):
        name, _, url = each.partition("=")
        if "://" in name:  # a URL alone
            name, url = _DEFAULT_NAME, each
        if urlsplit(url).scheme not in ("http", "https") or not name:
            raise BadRequest(f"connect={each!r} is not NAME=URL, such as {_DEFAULT_NAME}=http://127.0.0.1:8083")
        if name in seen:
            raise BadRequest(f"connect: there are two clusters {name!r}; each needs a name of its own")
        seen.add(name)
        yield name, url
