"""The Connect clusters that a server knows, by the namespaces of their jobs."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from headwater.connect.operate import Operator
from headwater.errors import BadRequest, NotAllowed, NotFound

_DEFAULT_NAME = "kafka-connect"  # the watcher's default namespace


class Clusters:
    def __init__(self, setting: str, *, allowed: bool) -> None:
        """`setting`: NAME=URL, separated by commas. `allowed`: whether connectors may be changed."""
        self._operators = {name: Operator(name, url) for name, url in _read(setting)}
        self.allowed = allowed

    def __iter__(self) -> Iterator[Operator]:
        return iter(self._operators.values())

    def find(self, name: str) -> Operator:
        operator = self._operators.get(name)
        if operator is None:
            known = ", ".join(map(repr, self._operators)) or "none: start the server with --connect NAME=URL"
            raise NotFound(f"no Connect cluster {name!r}. Known: {known}")
        return operator

    def to_change(self, name: str) -> Operator:
        operator = self.find(name)
        if not self.allowed:
            raise NotAllowed("this server may not change connectors; start it with --operate to allow it")
        return operator


def _read(setting: str) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for cluster in filter(None, (part.strip() for part in setting.split(","))):
        name, _, url = cluster.partition("=")
        if "://" in name:  # a URL alone
            name, url = _DEFAULT_NAME, cluster
        if urlsplit(url).scheme not in ("http", "https") or not name:
            raise BadRequest(f"connect={cluster!r} is not NAME=URL, such as {_DEFAULT_NAME}=http://127.0.0.1:8083")
        if name in seen:
            raise BadRequest(f"connect: two clusters are named {name!r}; each needs its own name")
        seen.add(name)
        yield name, url
