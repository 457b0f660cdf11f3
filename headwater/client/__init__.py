"""The Python client. `calls` describes every request once; `Client` and `AsyncClient` send them."""

from headwater.client.client import AsyncClient, Client

__all__ = ["AsyncClient", "Client"]
