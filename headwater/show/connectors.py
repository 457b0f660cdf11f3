"""Connectors, their configuration, and operations on them."""

from collections import Counter

from rich.console import Group, RenderableType
from rich.text import Text

from headwater.shapes.connect import (
    ConfigCheck,
    ConnectClusters,
    Connector,
    ConnectorDetails,
    ConnectorPlugins,
    Connectors,
    Operation,
)
from headwater.show.format import error_summary, node, properties, table, timestamp

_STATES = {"RUNNING": "bold blue", "FAILED": "bold red", "PAUSED": "yellow", "STOPPED": "yellow", "UNASSIGNED": "dim"}


def clusters(answer: ConnectClusters) -> RenderableType:
    if not answer.clusters:
        return Text("no Connect cluster configured; start the server with --connect NAME=URL")
    rows = table("cluster", "address", "version", "Kafka cluster", "problem")
    for each in answer.clusters:
        rows.add_row(
            each.name, each.url, each.version or "", each.kafkaClusterId or "", Text(each.problem or "", "red")
        )
    access = "read and write" if answer.operable else "read-only; start the server with --operate to change connectors"
    return Group(rows, Text(f"access: {access}", "dim"))


def connectors(answer: Connectors) -> RenderableType:
    parts: list[RenderableType] = []
    if answer.connectors:
        rows = table("cluster", "connector", "type", "state", "tasks", "records/s", "lag", "class")
        for each in answer.connectors:
            rows.add_row(
                each.cluster, each.name, each.type, _state(each.state), _tasks(each), *_flow(each), each.className
            )
        parts.append(rows)
    elif not answer.problems:
        parts.append(Text("no connectors"))
    parts += [Text(f"{cluster}: {problem}", "red") for cluster, problem in answer.problems.items()]
    return Group(*parts)


def connector(answer: ConnectorDetails) -> RenderableType:
    rate, lag = _flow(answer)
    parts: list[RenderableType] = [
        Text.assemble((answer.name, "bold"), f"  {answer.type} in {answer.cluster}  ", _state(answer.state)),
        properties(
            ("class", answer.className),
            ("worker", answer.worker),
            ("problem", error_summary(answer.trace)),
            ("lineage", node(answer.nodeId) if answer.nodeId else Text("not in the graph yet", "dim")),
            ("topics", ", ".join(answer.topics)),
            ("records/s", rate),
            ("lag", lag),
        ),
    ]
    tasks = table("task", "state", "worker", "problem")
    for task in answer.tasks:
        tasks.add_row(str(task.id), _state(task.state), task.worker, error_summary(task.trace) or "")
    options = table("option", "value")
    for name, value in sorted(answer.config.items()):
        options.add_row(name, Text(value, "dim" if name in answer.hidden else ""))
    parts += ["", tasks, "", options] if answer.tasks else ["", options]
    if answer.offsets:
        parts += ["", offsets(answer)]
    return Group(*parts)


def offsets(answer: ConnectorDetails) -> RenderableType:
    if not answer.offsets:
        return Text("no offsets yet")
    rows = table("partition", "offset")
    for each in answer.offsets:
        rows.add_row(_pairs(each.get("partition")), _pairs(each.get("offset")))
    return rows


def plugins(answer: ConnectorPlugins) -> RenderableType:
    rows = table("type", "version", "class")
    for each in answer.plugins:
        rows.add_row(each.type, each.version or "", each.className)
    return rows


def check(answer: ConfigCheck) -> RenderableType:
    wrong = [field for field in answer.fields if field.errors]
    if not wrong:
        return Text(f"valid: {answer.className} accepts this configuration", "green")
    rows = table("option", "value", "problem")
    for field in wrong:
        rows.add_row(field.name, field.value or "", Text("\n".join(field.errors), "red"))
    return rows


def operation(answer: Operation) -> RenderableType:
    return Text(f"{answer.action}: {answer.connector} in {answer.cluster}, by {answer.by} at {timestamp(answer.at)}")


def _state(word: str) -> Text:
    return Text(word, _STATES.get(word, ""))


def _tasks(each: Connector) -> str:
    counts = Counter(task.state for task in each.tasks)
    others = ", ".join(f"{count} {state.lower()}" for state, count in sorted(counts.items()) if state != "RUNNING")
    return f"{counts['RUNNING']}/{len(each.tasks)}" + (f" ({others})" if others else "")


def _flow(each: Connector) -> tuple[str, str]:
    rates = [flow.messagesPerSecond for flow in each.flow if flow.messagesPerSecond is not None]
    lags = [flow.lag for flow in each.flow if flow.lag is not None]
    return f"{sum(rates):,.1f}" if rates else "", f"{sum(lags):,}" if lags else ""


def _pairs(value: object) -> str:
    return ", ".join(f"{name}={part}" for name, part in value.items()) if isinstance(value, dict) else str(value)
