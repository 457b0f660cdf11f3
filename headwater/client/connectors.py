"""The requests that show and operate connectors of Kafka Connect through the server.

As in `queries`, a function only describes a request; a client sends it. `by` is the user that the server logs.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from headwater.client.request import Request, get, path, write
from headwater.shapes import connect as shapes

Change = Literal["pause", "resume", "stop", "restart"]


def clusters() -> Request[shapes.ConnectClusters]:
    """The Connect clusters that the server knows, and whether it may operate them."""
    return get("/connect/clusters", shapes.ConnectClusters)


def connectors(cluster: str | None = None) -> Request[shapes.Connectors]:
    """The connectors of one cluster or of all."""
    base = "/connect" if cluster is None else _cluster(cluster)
    return get(f"{base}/connectors", shapes.Connectors)


def connector(cluster: str, name: str) -> Request[shapes.ConnectorDetails]:
    """One connector: its tasks, configuration without secrets, topics and offsets."""
    return get(_connector(cluster, name), shapes.ConnectorDetails)


def plugins(cluster: str) -> Request[shapes.ConnectorPlugins]:
    """The connector classes that a cluster has."""
    return get(_cluster(cluster) + "/plugins", shapes.ConnectorPlugins)


def validate(cluster: str, config: Mapping[str, str], *, name: str | None = None) -> Request[shapes.ConfigCheck]:
    """Check a configuration with its connector class. With `name`, hidden values are those of that connector."""
    body = {"config": config} | ({} if name is None else {"name": name})
    return write("POST", _cluster(cluster) + "/validate", shapes.ConfigCheck, body)


def create(cluster: str, name: str, config: Mapping[str, str], *, by: str) -> Request[shapes.Operation]:
    return _by(by, "POST", _cluster(cluster) + "/connectors", {"name": name, "config": config})


def configure(cluster: str, name: str, config: Mapping[str, str], *, by: str) -> Request[shapes.Operation]:
    """Replace the configuration; hidden values stay as they are."""
    return _by(by, "PUT", _connector(cluster, name) + "/config", {"config": config})


def change(
    cluster: str, name: str, action: Change, *, by: str, only_failed: bool | None = None
) -> Request[shapes.Operation]:
    """Pause, resume, stop or restart. `only_failed`: restart only what has failed."""
    return _by(by, "PUT", _connector(cluster, name) + path(action), onlyFailed=only_failed)


def restart_task(cluster: str, name: str, task: int, *, by: str) -> Request[shapes.Operation]:
    return _by(by, "PUT", _connector(cluster, name) + path("tasks", str(task), "restart"))


def delete(cluster: str, name: str, *, by: str) -> Request[shapes.Operation]:
    return _by(by, "DELETE", _connector(cluster, name))


def _by(who: str, method: str, where: str, body: Any = None, **params: Any) -> Request[shapes.Operation]:
    request = write(method, where, shapes.Operation, body, **params)
    return replace(request, headers={"Headwater-User": who})


def _cluster(cluster: str) -> str:
    return path("connect", "clusters", cluster)


def _connector(cluster: str, name: str) -> str:
    return _cluster(cluster) + path("connectors", name)
