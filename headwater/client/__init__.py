"""The Python client: `queries`, `catalogue` and `connectors` describe requests, the two clients send them."""

from headwater.client.client import AsyncClient, Client

__all__ = ["AsyncClient", "Client"]
