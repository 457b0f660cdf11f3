"""The connectors that a watcher sees, as a table and as JSON."""

from collections.abc import Mapping
from typing import Any

from rich.table import Table
from rich.text import Text

from headwater.watch.connect.connector import WatchedConnector
from headwater.watch.connect.watcher import Watcher

_COLOURS = {"running": "green", "paused": "yellow", "waiting": "yellow", "failed": "bold red", "lost": "bold red"}
_MOST = 3  # datasets of one side that are worth a line


def connector_json(watcher: Watcher, name: str) -> dict[str, Any]:
    connector = watcher.connectors[name]
    lineage, status = connector.lineage, connector.status
    flows = watcher.flows(name)
    return {
        "connector": name,
        "type": status.type if status is not None else "unknown",
        "class": connector.config.get("connector.class", ""),
        "state": connector.condition.state,
        "problem": connector.condition.why,
        "tasks": [{"id": t.id, "state": t.state, "worker": t.worker_id} for t in status.tasks] if status else [],
        "inputs": [f"{d.namespace} {d.name}" for d in lineage.inputs] if lineage else [],
        "outputs": [f"{d.namespace} {d.name}" for d in lineage.outputs] if lineage else [],
        "columns": sum(len(output.columns) for output in lineage.outputs.values()) if lineage else 0,
        "topics": {t: {"messagesPerSecond": f.per_second, "lag": f.lag} for t, f in flows.items()},
        "notes": list(lineage.notes) if lineage else [],
        "run": connector.run_state.run,
    }


def rows(watcher: Watcher) -> list[dict[str, Any]]:
    return [connector_json(watcher, name) for name in sorted(watcher.connectors)]


def table(watcher: Watcher) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("connector", "state", "tasks", "reads", "writes", "columns", "flow", "notes"):
        table.add_column(column, overflow="fold")
    for row in rows(watcher):
        connector = watcher.connectors[row["connector"]]
        table.add_row(
            row["connector"],
            Text(row["state"], style=_COLOURS.get(connector.condition.kind, "")),
            _tasks(connector),
            _few(row["inputs"]),
            _few(row["outputs"]),
            str(row["columns"] or ""),
            _flow(row["topics"]),
            "\n".join([row["problem"], *row["notes"]]).strip(),
        )
    return table


def _tasks(connector: WatchedConnector) -> str:
    tasks = connector.status.tasks if connector.status is not None else ()
    return f"{sum(task.state == 'RUNNING' for task in tasks)}/{len(tasks)}"


def _few(names: list[str]) -> str:
    more = [f"… {len(names) - _MOST} more"] if len(names) > _MOST else []
    return "\n".join([*names[:_MOST], *more])


def _flow(topics: Mapping[str, Mapping[str, Any]]) -> str:
    rates = [topic["messagesPerSecond"] for topic in topics.values() if topic["messagesPerSecond"] is not None]
    lags = [topic["lag"] for topic in topics.values() if topic["lag"] is not None]
    words = [f"{sum(rates):,.1f}/s"] if rates else []
    return ", ".join([*words, *([f"{sum(lags):,} behind"] if lags else [])])
