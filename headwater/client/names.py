"""Resolves what people type to node ids. Whole ids are taken as they are; anything else is searched for."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from headwater.client.client import Client
from headwater.errors import BadRequest, NotFound
from headwater.ids import split_type, type_dataset, type_field, type_job, type_run
from headwater.shapes.search import SearchHit

NODES = (type_dataset, type_job, type_field)
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_KINDS = {type_dataset: "DATASET", type_job: "JOB"}
_CANDIDATES = 20


@dataclass(frozen=True)
class Match:
    """The node that a text means, and others that it might mean."""

    node_id: str
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class Location:
    """A node's canonical id, and its parts as HTTP paths have them."""

    node_id: str
    namespace: str
    name: str
    field: str | None = None


def resolve(client: Client, text: str, kinds: tuple[str, ...] = NODES) -> Match:
    """The node that `text` means: `orders`, `orders.price`, `s3://warehouse:orders`, a run's id."""
    typed = split_type(text)
    if typed is not None:
        if typed[0] not in kinds:
            raise BadRequest(f"{text} is a {typed[0]}; a {' or '.join(kinds)} is needed here")
        return Match(text)
    if _UUID.fullmatch(text) and type_run in kinds:
        return Match(f"{type_run}:{text}")
    node_id = _with_namespace(client, text, kinds)
    if node_id:
        return Match(node_id)
    try:
        return _search(client, text, kinds)
    except NotFound:
        # The search index lags up to a second behind the log, unless a request names a position.
        client.position = max(client.position or 0, client.healthz().position)
        return _search(client, text, kinds)


def _with_namespace(client: Client, text: str, kinds: tuple[str, ...]) -> str | None:
    """The id for `namespace:name`. Only the server can split that, as both parts may hold colons."""
    if ":" in text:
        for kind in (type_dataset, type_job):
            if kind in kinds:
                with suppress(NotFound):
                    client.lineage(f"{kind}:{text}", depth=0, direction="upstream")
                    return f"{kind}:{text}"
        if type_field in kinds:
            with suppress(NotFound):
                client.column_lineage(f"{type_field}:{text}", depth=0)
                return f"{type_field}:{text}"
    return None


def _search(client: Client, text: str, kinds: tuple[str, ...]) -> Match:
    hits = _hits(client, text, kinds)
    exact = [hit for hit in hits if _has_name(hit, text)]
    if exact:
        return _match([hit.nodeId for hit in exact])
    columns = list(_columns(client, text)) if type_field in kinds else []
    node_ids = columns or [hit.nodeId for hit in hits]
    if not node_ids:
        raise NotFound(f"nothing is called {text!r}. `headwater search` also looks in descriptions, columns and SQL.")
    return _match(node_ids)


def _hits(client: Client, text: str, kinds: tuple[str, ...]) -> list[SearchHit]:
    types = [_KINDS[kind] for kind in kinds if kind in _KINDS]
    hits = client.search(text, limit=_CANDIDATES).results if text.strip() else []
    return [hit for hit in hits if hit.type in types]


def _has_name(hit: SearchHit, text: str) -> bool:
    """By the whole name or its last part, ignoring case: `orders` matches `rest/default/orders`."""
    name, text = hit.name.casefold(), text.casefold()
    return name == text or re.split(r"[/.:]", name)[-1] == text


def _columns(client: Client, text: str) -> Iterator[str]:
    """Ids for `orders.price`: columns of datasets whose name matches the first part."""
    for separator in (".", ":"):
        dataset, _, column = text.rpartition(separator)
        if dataset and column:
            hits = _hits(client, dataset, (type_dataset,))
            for hit in [hit for hit in hits if _has_name(hit, dataset)] or hits:
                match = client.dataset(hit.namespace, hit.name)
                for field in match.fields:
                    if field.name.casefold() == column.casefold():
                        yield f"{type_field}:{match.namespace}:{match.name}:{field.name}"


def _match(node_ids: list[str]) -> Match:
    first, *others = dict.fromkeys(node_ids)
    return Match(first, tuple(others))


def locate(client: Client, node_id: str) -> Location:
    """Namespace and name of a node. Only the server can split its id, as both parts may hold colons."""
    if node_id.startswith(f"{type_field}:"):
        graph = client.column_lineage(node_id, depth=0).graph
        nodes = [node for node in graph if node_id.endswith(f":{node.data['field']}")]
        if nodes:
            node = min(nodes, key=lambda node: node.id != node_id)
            return Location(node.id, node.data["namespace"], node.data["dataset"], node.data["field"])
    else:
        kind = "JOB" if node_id.startswith(f"{type_job}:") else "DATASET"
        graph = client.lineage(node_id, depth=0, direction="upstream").graph
        nodes = [node for node in graph if node.type == kind]
        if nodes:
            return Location(nodes[0].id, nodes[0].data["namespace"], nodes[0].data["name"])
    raise NotFound(f"there is no {node_id}")
