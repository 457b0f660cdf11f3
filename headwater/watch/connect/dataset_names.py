"""Names of datasets, from the options of a connector and the templates of its class."""

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
        dataset = of_jdbc(url, _UNTITLED)
    except ValueError:  # a port that is no number
        return {}
    schema = re.search(r"[?&;](?:currentSchema|schema|sf_schema)=([^&;,]+)", url, re.I)
    kind = dataset.namespace.partition(":")[0]
    return {
        "jdbc.namespace": dataset.namespace,
        "jdbc.database": dataset.name.removesuffix(_UNTITLED).rstrip("."),
        "jdbc.schema": schema[1] if schema else _SCHEMAS.get(kind, ""),
    }


def _url(name: str, text: str) -> dict[str, str]:
    """The first of several; a list of hosts in one URL (MongoDB) counts like several."""
    scheme, separator, rest = text.partition("://")
    address = (rest if separator else text).split(",")[0]
    try:
        parts = urlsplit("x://" + address)
        host, port = parts.hostname, parts.port
    except ValueError:
        return {}
    if port is None and scheme in ("http", "https") and separator:
        port = {"http": 80, "https": 443}[scheme] if _has_default_port(text) else None
    parts_by_name = {f"{name}.host": host or "", f"{name}.port": str(port or ""), f"{name}.path": parts.path.strip("/")}
    return {key: value for key, value in parts_by_name.items() if value}


def _has_default_port(url: str) -> bool:
    """`https://search.example.com` is at the usual port of https, a bare host at the usual port of the service."""
    return url.startswith("https://")


def dataset(connector: Connector, scope: Mapping[str, str]) -> Dataset | None:
    """None for a connector without one; Missing where the options do not say enough."""
    if not connector.dataset:
        return None
    template = next((template for template in connector.dataset if template.fits(scope)), None)
    if template is None:
        raise Missing("the class description names no dataset for these options")
    if template.path:
        named = of_path(templates.fill(template.path, scope))
    else:
        named = Dataset(templates.fill(template.namespace, scope), templates.fill(template.name, scope))
    if not named.name:
        raise Missing("the options leave the dataset without a name")
    if template.symlink is None:
        return named
    link = (templates.fill(template.symlink.namespace, scope), templates.fill(template.symlink.name, scope))
    return named._replace(symlinks=(link,))


def with_table(connector: Connector, scope: Mapping[str, str], table: str) -> dict[str, str]:
    """The scope with the table and the parts of its name."""
    inner = {**scope, "table": table}
    if connector.parts:
        match = re.fullmatch(connector.parts, table)
        if match is None:
            raise Missing(f"the table {table!r} is not of the form {connector.parts}")
        inner |= {name: value for name, value in match.groupdict().items() if value is not None}
    return inner
