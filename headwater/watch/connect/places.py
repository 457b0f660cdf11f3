"""Datasets by the options of a connector: what is in scope for templates, and the names that come out."""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from headwater.emit.naming import Dataset, of_jdbc, of_path
from headwater.watch.connect import templates
from headwater.watch.connect.mapping import Connector
from headwater.watch.connect.templates import Missing

# A table without a schema is in this one, unless the URL says otherwise.
_SCHEMAS = {"postgres": "public", "redshift": "public", "sqlserver": "dbo"}
_UNTITLED = "untitled"


def scope_of(connector: Connector, config: Mapping[str, str]) -> dict[str, str]:
    """Options, defaults, and what can be read from URLs."""
    scope = {**connector.defaults, **config}
    if connector.jdbc and scope.get(connector.jdbc):
        scope |= _jdbc(scope[connector.jdbc])
    for name, option in connector.urls.items():
        if scope.get(option):
            scope |= _url(name, scope[option])
    return scope


def _jdbc(url: str) -> dict[str, str]:
    try:
        found = of_jdbc(url, _UNTITLED)
    except ValueError:  # a port that is no number
        return {}
    schema = re.search(r"[?&;](?:currentSchema|schema|sf_schema)=([^&;,]+)", url, re.I)
    kind = found.namespace.partition(":")[0]
    return {
        "jdbc.namespace": found.namespace,
        "jdbc.database": found.name.removesuffix(_UNTITLED).rstrip("."),
        "jdbc.schema": schema[1] if schema else _SCHEMAS.get(kind, ""),
    }


def _url(name: str, text: str) -> dict[str, str]:
    """The first of several; a list of hosts in one URL (MongoDB) counts like several."""
    scheme, found, rest = text.partition("://")
    address = (rest if found else text).split(",")[0]
    try:
        parts = urlsplit("x://" + address)
        host, port = parts.hostname, parts.port
    except ValueError:
        return {}
    if port is None and scheme in ("http", "https") and found:
        port = {"http": 80, "https": 443}[scheme] if _behind_a_name(text) else None
    told = {f"{name}.host": host or "", f"{name}.port": str(port or ""), f"{name}.path": parts.path.strip("/")}
    return {key: value for key, value in told.items() if value}


def _behind_a_name(url: str) -> bool:
    """`https://search.example.com` is at the usual port of https, a bare host at the usual port of the service."""
    return url.startswith("https://")


def dataset(connector: Connector, scope: Mapping[str, str]) -> Dataset | None:
    """None for a connector without any; Missing where the options do not say enough."""
    if not connector.dataset:
        return None
    place = next((place for place in connector.dataset if place.fits(scope)), None)
    if place is None:
        raise Missing("the options fit no description of where the data is")
    if place.path:
        found = of_path(templates.fill(place.path, scope))
    else:
        found = Dataset(templates.fill(place.namespace, scope), templates.fill(place.name, scope))
    if not found.name:
        raise Missing("the options leave the dataset without a name")
    if place.symlink is None:
        return found
    link = (templates.fill(place.symlink.namespace, scope), templates.fill(place.symlink.name, scope))
    return found._replace(symlinks=(link,))


def with_table(connector: Connector, scope: Mapping[str, str], table: str) -> dict[str, str]:
    """The table and the parts of its name in scope, too."""
    inner = {**scope, "table": table}
    if connector.parts:
        found = re.fullmatch(connector.parts, table)
        if found is None:
            raise Missing(f"the table {table!r} is not of the form {connector.parts}")
        inner |= {name: value for name, value in found.groupdict().items() if value is not None}
    return inner
