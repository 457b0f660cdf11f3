"""Headwater: live, column-level lineage for Kafka, Kafka Connect, Spark, Flink and Iceberg."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headwater.client import AsyncClient, Client

__all__ = ["AsyncClient", "Client"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """The clients, imported when someone asks for them: `import headwater` alone costs nothing."""
    if name in __all__:
        from headwater import client

        return getattr(client, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
