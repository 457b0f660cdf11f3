"""What a watcher sees, as a table and as JSON."""

from collections.abc import Mapping
from typing import Any

from rich.table import Table
from rich.text import Text

from headwater.watch.connect.watched import Watched
from headwater.watch.connect.watcher import Watcher

_COLOURS = {"running": "green", "paused": "yellow", "waiting": "yellow", "failed": "bold red", "lost": "bold red"}
_MOST = 3  # datasets of one side that are worth a line


def row(watcher: Watcher, name: str) -> dict[str, Any]:
    watched = watcher.watched[name]
    found, status = watched.found, watched.status
    flows = watcher.flows(name)
    return {
        "connector": name,
        "type": status.type if status is not None else "unknown",
        "class": watched.config.get("connector.class", ""),
        "state": watched.condition.state,
        "problem": watched.condition.why,
        "tasks": [{"id": t.id, "state": t.state, "worker": t.worker_id} for t in status.tasks] if status else [],
        "inputs": [f"{d.namespace} {d.name}" for d in found.inputs] if found else [],
        "outputs": [f"{d.namespace} {d.name}" for d in found.outputs] if found else [],
        "columns": sum(len(output.columns) for output in found.outputs.values()) if found else 0,
        "topics": {t: {"messagesPerSecond": f.per_second, "lag": f.lag} for t, f in flows.items()},
        "notes": list(found.notes) if found else [],
        "run": watched.kept.run,
    }


def rows(watcher: Watcher) -> list[dict[str, Any]]:
    return [row(watcher, name) for name in sorted(watcher.watched)]


def table(watcher: Watcher) -> Table:
    made = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("connector", "state", "tasks", "reads", "writes", "columns", "flow", "to know"):
        made.add_column(column, overflow="fold")
    for name in sorted(watcher.watched):
        watched, told = watcher.watched[name], row(watcher, name)
        made.add_row(
            name,
            Text(told["state"], style=_COLOURS.get(watched.condition.kind, "")),
            _tasks(watched),
            _few(told["inputs"]),
            _few(told["outputs"]),
            str(told["columns"] or ""),
            _flow(told["topics"]),
            "\n".join([told["problem"], *told["notes"]]).strip(),
        )
    return made


def _tasks(watched: Watched) -> str:
    tasks = watched.status.tasks if watched.status is not None else ()
    return f"{sum(task.state == 'RUNNING' for task in tasks)}/{len(tasks)}"


def _few(names: list[str]) -> str:
    more = [f"… {len(names) - _MOST} more"] if len(names) > _MOST else []
    return "\n".join([*names[:_MOST], *more])


def _flow(topics: Mapping[str, Mapping[str, Any]]) -> str:
    rates = [one["messagesPerSecond"] for one in topics.values() if one["messagesPerSecond"] is not None]
    lags = [one["lag"] for one in topics.values() if one["lag"] is not None]
    words = [f"{sum(rates):,.1f}/s"] if rates else []
    return ", ".join([*words, *([f"{sum(lags):,} behind"] if lags else [])])
