"""Typed ids. Node ids on the wire look like `dataset:kafka://host:9092:orders`."""

from collections.abc import Iterator
from typing import NewType

Node = NewType("Node", int)
"""A job or a dataset in the graph; jobs and datasets share one number space."""

ContentId = NewType("ContentId", int)
"""The first 64 bits of a facet's BLAKE2b digest; the same facet has the same id everywhere."""

Position = NewType("Position", int)
"""Where an event stands in the log; grows by one for each event."""

Micros = NewType("Micros", int)
"""Microseconds since 1970 in UTC."""

Stamp = NewType("Stamp", int)
"""An event's place in time: microseconds, then the rank of its type. The larger stamp wins."""

RunId = NewType("RunId", str)

DELETED = ContentId(0)
"""Stands where a facet was taken back with `_deleted`."""

type_job, type_dataset, type_field, type_run = "job", "dataset", "datasetField", "run"
NODE_TYPES = (type_field, type_dataset, type_job, type_run)


def job_node_id(namespace: str, name: str) -> str:
    return f"job:{namespace}:{name}"


def dataset_node_id(namespace: str, name: str) -> str:
    return f"dataset:{namespace}:{name}"


def field_node_id(namespace: str, name: str, field: str) -> str:
    return f"datasetField:{namespace}:{name}:{field}"


def split_type(node_id: str) -> tuple[str, str] | None:
    """`job:a:b` → (`job`, `a:b`); None when the type is not one of ours."""
    kind, colon, rest = node_id.partition(":")
    return (kind, rest) if colon and kind in NODE_TYPES else None


def splits(text: str) -> Iterator[tuple[str, str]]:
    """Every way to read `text` as two names joined by a colon, longest first name first.

    Namespaces hold colons (`kafka://host:9092`), and so may names, so only a look at what
    exists can tell which reading is meant.
    """
    at = text.rfind(":")
    while at >= 0:
        yield text[:at], text[at + 1 :]
        at = text.rfind(":", 0, at)


def without_version(text: str) -> str:
    """Drops a trailing `#version`, which Marquez clients may add to a node id."""
    return text.rpartition("#")[0] if "#" in text else text
