"""What people type → node ids. Whole ids are taken as they are; anything else is searched for."""

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
class Found:
    """The node that was meant, and others that might have been."""

    node_id: str
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class Place:
    """A node by the name that the server knows it by, and where it is as paths say it."""

    node_id: str
    namespace: str
    name: str
    field: str | None = None


def find(client: Client, text: str, kinds: tuple[str, ...] = NODES) -> Found:
    """The node that `text` means: `orders`, `orders.price`, `s3://warehouse:orders`, a run's id."""
    typed = split_type(text)
    if typed is not None:
        if typed[0] not in kinds:
            raise BadRequest(f"{text} is a {typed[0]}; this question is about a {' or '.join(kinds)}")
        return Found(text)
    if _UUID.fullmatch(text) and type_run in kinds:
        return Found(f"{type_run}:{text}")
    whole = _as_whole(client, text, kinds)
    if whole:
        return Found(whole)
    try:
        return _searched(client, text, kinds)
    except NotFound:
        # Where events come in all the time, searches are a second behind, unless they name a position.
        client.position = max(client.position or 0, client.healthz().position)
        return _searched(client, text, kinds)


def _as_whole(client: Client, text: str, kinds: tuple[str, ...]) -> str | None:
    """`namespace:name`, which the server can tell apart."""
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


def _searched(client: Client, text: str, kinds: tuple[str, ...]) -> Found:
    hits = _hits(client, text, kinds)
    exact = [hit for hit in hits if _is_called(hit, text)]
    if exact:
        return _taken([hit.nodeId for hit in exact])
    columns = list(_columns(client, text)) if type_field in kinds else []
    found = columns or [hit.nodeId for hit in hits]
    if not found:
        raise NotFound(f"nothing is called {text!r}. `headwater search` looks in descriptions, columns and SQL too.")
    return _taken(found)


def _hits(client: Client, text: str, kinds: tuple[str, ...]) -> list[SearchHit]:
    wanted = [_KINDS[kind] for kind in kinds if kind in _KINDS]
    hits = client.search(text, limit=_CANDIDATES).results if text.strip() else []
    return [hit for hit in hits if hit.type in wanted]


def _is_called(hit: SearchHit, text: str) -> bool:
    """The whole name or its last part, in any case: `orders` is `rest/default/orders`."""
    name, text = hit.name.casefold(), text.casefold()
    return name == text or re.split(r"[/.:]", name)[-1] == text


def _columns(client: Client, text: str) -> Iterator[str]:
    """`orders.price`: a column of a dataset that is called like the first part."""
    for separator in (".", ":"):
        dataset, _, column = text.rpartition(separator)
        if dataset and column:
            hits = _hits(client, dataset, (type_dataset,))
            for hit in [hit for hit in hits if _is_called(hit, dataset)] or hits:
                found = client.dataset(hit.namespace, hit.name)
                for field in found.fields:
                    if field.name.casefold() == column.casefold():
                        yield f"{type_field}:{found.namespace}:{found.name}:{field.name}"


def _taken(found: list[str]) -> Found:
    first, *others = dict.fromkeys(found)
    return Found(first, tuple(others))


def place_of(client: Client, node_id: str) -> Place:
    """Namespace and name; the server tells them apart, as both may hold colons."""
    if node_id.startswith(f"{type_field}:"):
        graph = client.column_lineage(node_id, depth=0).graph
        nodes = [node for node in graph if node_id.endswith(f":{node.data['field']}")]
        if nodes:
            node = min(nodes, key=lambda node: node.id != node_id)
            return Place(node.id, node.data["namespace"], node.data["dataset"], node.data["field"])
    else:
        kind = "JOB" if node_id.startswith(f"{type_job}:") else "DATASET"
        graph = client.lineage(node_id, depth=0, direction="upstream").graph
        nodes = [node for node in graph if node.type == kind]
        if nodes:
            return Place(nodes[0].id, nodes[0].data["namespace"], nodes[0].data["name"])
    raise NotFound(f"nothing is known of {node_id}")
