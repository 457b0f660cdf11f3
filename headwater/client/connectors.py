"""Connectors of Kafka Connect: how they are, and what is done to them through the server.

As in `calls`, a function says which request it is and what comes back; nothing is sent. `by` says who does it.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from headwater.client.call import Call, get, path, write
from headwater.shapes import connect as shapes

Change = Literal["pause", "resume", "stop", "restart"]


def clusters() -> Call[shapes.ConnectClusters]:
    """The Connect clusters that the server knows, and whether it may change anything there."""
    return get("/connect/clusters", shapes.ConnectClusters)


def connectors(cluster: str | None = None) -> Call[shapes.Connectors]:
    """The connectors of one cluster or of all."""
    base = "/connect" if cluster is None else _cluster(cluster)
    return get(f"{base}/connectors", shapes.Connectors)


def connector(cluster: str, name: str) -> Call[shapes.ConnectorDetails]:
    """One connector: its tasks, configuration without secrets, topics and offsets."""
    return get(_connector(cluster, name), shapes.ConnectorDetails)


def plugins(cluster: str) -> Call[shapes.ConnectorPlugins]:
    """The connector classes that a cluster has."""
    return get(_cluster(cluster) + "/plugins", shapes.ConnectorPlugins)


def validate(cluster: str, config: Mapping[str, str], *, name: str | None = None) -> Call[shapes.ConfigCheck]:
    """What the class says of a configuration. `name`: of a connector whose hidden values count as they are."""
    body = {"config": config} | ({} if name is None else {"name": name})
    return write("POST", _cluster(cluster) + "/validate", shapes.ConfigCheck, body)


def create(cluster: str, name: str, config: Mapping[str, str], *, by: str) -> Call[shapes.Operation]:
    return _by(by, "POST", _cluster(cluster) + "/connectors", {"name": name, "config": config})


def configure(cluster: str, name: str, config: Mapping[str, str], *, by: str) -> Call[shapes.Operation]:
    """Another configuration; values that are hidden stay as they are."""
    return _by(by, "PUT", _connector(cluster, name) + "/config", {"config": config})


def change(
    cluster: str, name: str, action: Change, *, by: str, only_failed: bool | None = None
) -> Call[shapes.Operation]:
    """Pause, resume, stop or restart. `only_failed`: restart only what has failed."""
    return _by(by, "PUT", _connector(cluster, name) + path(action), onlyFailed=only_failed)


def restart_task(cluster: str, name: str, task: int, *, by: str) -> Call[shapes.Operation]:
    return _by(by, "PUT", _connector(cluster, name) + path("tasks", str(task), "restart"))


def delete(cluster: str, name: str, *, by: str) -> Call[shapes.Operation]:
    return _by(by, "DELETE", _connector(cluster, name))


def _by(who: str, method: str, where: str, body: Any = None, **params: Any) -> Call[shapes.Operation]:
    call = write(method, where, shapes.Operation, body, **params)
    return replace(call, headers={"Headwater-User": who})


def _cluster(cluster: str) -> str:
    return path("connect", "clusters", cluster)


def _connector(cluster: str, name: str) -> str:
    return _cluster(cluster) + path("connectors", name)
