"""One dataset, one name: rules that make the spellings of different engines equal.

Only what is certain from the name alone is done here. What two engines report about each
other (symlinks, a broker that appears in two lists) is joined in `model/aliases.py`, where
it can be undone.
"""

import re

_SAME_SCHEME = {"s3a": "s3", "s3n": "s3"}
_OBJECT_STORES = ("s3://", "gs://")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)(://.*)", re.DOTALL)

# Flink's in-memory catalog names tables only within one session: two jobs may call
# different topics by the same name, so such a name is no identity.
_SESSION_LOCAL = "default_catalog.default_database."


def canonical(namespace: str, name: str) -> tuple[str, str]:
    if "://" in namespace:
        namespace = _canonical_namespace(namespace)
        if name[:1] == "/" and namespace.startswith(_OBJECT_STORES):
            name = name.lstrip("/") or "/"
    if name[-1:] == "/" and len(name) > 1:
        name = name.rstrip("/") or "/"
    return namespace, name


def _canonical_namespace(namespace: str) -> str:
    match = _SCHEME.fullmatch(namespace)
    if match is None:
        return namespace
    scheme, rest = match[1].lower(), match[2]
    scheme = _SAME_SCHEME.get(scheme, scheme)
    if scheme == "kafka":
        return "kafka://" + ",".join(sorted({b for part in rest[3:].split(",") if (b := part.strip(" \t\r\n/"))}))
    if len(rest) > 3:
        rest = rest.rstrip("/") if rest.strip("/:") else rest
    return scheme + rest


def brokers(namespace: str) -> tuple[str, ...]:
    """The brokers of a Kafka namespace; empty for any other."""
    return tuple(namespace[8:].split(",")) if namespace.startswith("kafka://") else ()


def is_session_local(name: str) -> bool:
    return name.startswith(_SESSION_LOCAL)
