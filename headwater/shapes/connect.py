"""Connect clusters and their connectors, as the server shows and operates them."""

from datetime import datetime
from typing import Any

import msgspec


class ConnectCluster(msgspec.Struct):
    """Its name is the namespace of its connectors' jobs."""

    name: str
    url: str
    version: str | None
    kafkaClusterId: str | None
    problem: str | None  # why it does not answer


class ConnectClusters(msgspec.Struct):
    clusters: list[ConnectCluster]
    operable: bool  # whether this server may change anything there


class ConnectorTask(msgspec.Struct):
    id: int
    state: str
    worker: str
    trace: str | None


class TopicFlow(msgspec.Struct):
    """As of the watcher's last poll. A source has no lag."""

    topic: str
    messagesPerSecond: float | None
    lag: int | None


class Connector(msgspec.Struct):
    cluster: str
    name: str
    nodeId: str | None  # of its job, if the graph has one
    type: str
    className: str
    state: str
    worker: str
    trace: str | None
    tasks: list[ConnectorTask]
    flow: list[TopicFlow]
    flowAt: datetime | None


class Connectors(msgspec.Struct):
    connectors: list[Connector]
    problems: dict[str, str]  # of clusters that do not answer


class ConnectorDetails(Connector):
    config: dict[str, str]
    hidden: list[str]  # options whose values are not shown
    topics: list[str]  # that it really used
    offsets: list[dict[str, Any]]


class ConnectorPlugin(msgspec.Struct):
    className: str
    type: str
    version: str | None


class ConnectorPlugins(msgspec.Struct):
    plugins: list[ConnectorPlugin]


class ConfigField(msgspec.Struct):
    """One option, as the plugin describes it, and what it says of the value."""

    name: str
    value: str | None
    type: str
    required: bool
    importance: str
    documentation: str
    group: str
    default: str | None
    recommended: list[str]
    errors: list[str]


class ConfigCheck(msgspec.Struct):
    className: str
    errorCount: int
    fields: list[ConfigField]


class Operation(msgspec.Struct):
    """What was done, and who did it. The log has it too."""

    action: str
    cluster: str
    connector: str
    by: str
    at: datetime
