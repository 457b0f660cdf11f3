"""Operates one Connect cluster: shows its connectors, and creates, changes, restarts and deletes them."""

import asyncio
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import msgspec

from headwater.connect import secrets
from headwater.connect.rest import REBALANCING, Connect, ConnectRestError, Entry, Info, State, Status, bare, read
from headwater.shapes.connect import (
    ConfigCheck,
    ConfigField,
    ConnectCluster,
    Connector,
    ConnectorDetails,
    ConnectorPlugin,
    ConnectorTask,
)

CLASS = "connector.class"
_UNNAMED = "unnamed"
_REBALANCE_SECONDS = 10.0

Config = dict[str, str]


class _Plugin(msgspec.Struct, rename={"class_name": "class"}):
    class_name: str
    type: str = "unknown"
    version: str | None = None


class _Definition(msgspec.Struct):
    name: str
    type: str = "STRING"
    required: bool = False
    importance: str = ""
    documentation: str | None = None
    group: str | None = None
    default_value: Any = None


class _Value(msgspec.Struct):
    name: str
    value: Any = None
    recommended_values: list[Any] = []
    errors: list[str] = []


class _Checked(msgspec.Struct):
    definition: _Definition
    value: _Value


class _Check(msgspec.Struct):
    error_count: int
    configs: list[_Checked]


class _Offsets(msgspec.Struct):
    offsets: list[dict[str, Any]] = []


class Operator:
    """Raises ConnectRestError where Connect rejects a request or does not answer."""

    def __init__(self, name: str, url: str) -> None:
        self.name = name
        self._rest = Connect(url)
        self._passwords: dict[str, frozenset[str]] = {}  # by class

    async def close(self) -> None:
        await self._rest.close()

    async def about(self) -> ConnectCluster:
        shown = bare(self._rest.url)
        try:
            cluster = await self._rest.cluster()
        except ConnectRestError as e:
            return ConnectCluster(self.name, shown, None, None, str(e))
        return ConnectCluster(self.name, shown, cluster.version, cluster.kafka_cluster_id, None)

    # Reading

    async def connectors(self) -> list[Connector]:
        entries = await self._rest.connectors()
        return [self._connector(name, entry) for name, entry in sorted(entries.items())]

    async def details(self, name: str) -> ConnectorDetails:
        path = _path(name)
        info = await self._ask("GET", path, Info)
        entry = Entry(await self._status(name), info)
        config = self._config_of(info)
        shown, hidden = secrets.hide(config, await self._passwords_of(config.get(CLASS, "")))
        topics = sorted(await self._rest.topics(name)) if entry.status.type != "unknown" else []
        common = self._connector(name, entry)
        return ConnectorDetails(
            **{field: getattr(common, field) for field in common.__struct_fields__},
            config=shown,
            hidden=hidden,
            topics=topics,
            offsets=await self._offsets(name),
        )

    async def plugins(self) -> list[ConnectorPlugin]:
        """Sources and sinks, without converters and transforms."""
        plugins = await self._ask("GET", "/connector-plugins?connectorsOnly=true", list[_Plugin])
        return sorted((ConnectorPlugin(p.class_name, p.type, p.version) for p in plugins), key=lambda p: p.className)

    async def check(self, config: Config, name: str | None = None) -> ConfigCheck:
        """Validates a configuration by its plugin; hidden values of an existing connector keep their real values."""
        kind = config.get(CLASS, "")
        if name is not None:
            config = await self._with_secrets(config, name)
        config = {"name": name or _UNNAMED, **config}  # Connect needs one, whatever it is
        path = f"/connector-plugins/{quote(kind, safe='')}/config/validate"
        try:
            check = await self._ask("PUT", path, _Check, config)
        except ConnectRestError as e:
            if "Failed to find any class" not in str(e):
                raise
            available = ", ".join(plugin.className for plugin in await self.plugins())
            raise ConnectRestError(f"no connector class {kind!r}; available: {available}", status=400) from None
        passwords = {option.definition.name for option in check.configs if option.definition.type == "PASSWORD"}
        shown, _ = secrets.hide(config, passwords)
        return ConfigCheck(kind, check.error_count, [_field(option, shown) for option in check.configs])

    # Changing

    async def create(self, name: str, config: Config) -> None:
        await self._call("POST", "/connectors", {"name": name, "config": {**config, "name": name}})

    async def configure(self, name: str, config: Config) -> None:
        """Only a connector that exists: a mistyped name must not create another."""
        if name not in await self._rest.names():
            raise ConnectRestError(f"Connector {name} not found", status=404)
        with_secrets = await self._with_secrets(config, name)
        await self._call("PUT", f"{_path(name)}/config", {**with_secrets, "name": name})

    async def act(self, name: str, action: str, *, only_failed: bool = False) -> None:
        if action == "restart":
            # Without its tasks, a restarted connector does nothing.
            failed = "true" if only_failed else "false"
            await self._call("POST", f"{_path(name)}/restart?includeTasks=true&onlyFailed={failed}")
        else:
            await self._call("PUT", f"{_path(name)}/{action}")

    async def restart_task(self, name: str, task: int) -> None:
        await self._call("POST", f"{_path(name)}/tasks/{task}/restart")

    async def delete(self, name: str) -> None:
        await self._call("DELETE", _path(name))

    async def _ask(self, method: str, path: str, shape: Any, body: Any = None) -> Any:
        return read(await self._call(method, path, body), shape, self._rest.url)

    async def _call(self, method: str, path: str, body: Any = None) -> bytes:
        """Retries while Connect rebalances, so that callers need not."""
        end = asyncio.get_running_loop().time() + _REBALANCE_SECONDS
        while True:
            try:
                return await self._rest.call(method, path, body)
            except ConnectRestError as e:
                if str(e) != REBALANCING or asyncio.get_running_loop().time() > end:
                    raise
            await asyncio.sleep(0.3)

    async def _status(self, name: str) -> Status:
        try:
            status: Status = await self._ask("GET", f"{_path(name)}/status", Status)
        except ConnectRestError as e:
            if not e.not_found:
                raise
            # It was created a moment ago, and no worker has reported its status yet.
            return Status(State("UNASSIGNED"))
        return status

    async def _offsets(self, name: str) -> list[dict[str, Any]]:
        """Empty where a connector has none to show, or Connect rebalances."""
        try:
            response: _Offsets = await self._ask("GET", f"{_path(name)}/offsets", _Offsets)
        except ConnectRestError:
            return []
        return response.offsets

    async def _with_secrets(self, config: Config, name: str) -> Config:
        try:
            known = self._config_of(await self._ask("GET", _path(name), Info))
        except ConnectRestError as e:
            if e.not_found:
                return config
            raise
        return secrets.put_back(config, known, await self._passwords_of(known.get(CLASS, "")))

    @staticmethod
    def _config_of(info: Info) -> Config:
        return {name: text or "" for name, text in msgspec.json.decode(info.config, type=dict[str, str | None]).items()}

    async def _passwords_of(self, kind: str) -> frozenset[str]:
        """The options of type PASSWORD of a class. None are known of a class that is no longer installed."""
        if kind not in self._passwords:
            try:
                path = f"/connector-plugins/{quote(kind, safe='')}/config"
                options = await self._ask("GET", path, list[_Definition])
            except ConnectRestError:
                return frozenset()
            self._passwords[kind] = frozenset(option.name for option in options if option.type == "PASSWORD")
        return self._passwords[kind]

    def _connector(self, name: str, entry: Entry) -> Connector:
        status = entry.status
        kind = msgspec.json.decode(entry.info.config, type=Mapping[str, str | None]).get(CLASS) or ""
        return Connector(
            cluster=self.name,
            name=name,
            nodeId=None,
            type=status.type,
            className=kind,
            state=status.connector.state,
            worker=status.connector.worker_id,
            trace=status.connector.trace or None,
            tasks=[ConnectorTask(t.id, t.state, t.worker_id, t.trace or None) for t in status.tasks],
            flow=[],
            flowAt=None,
        )


def _path(name: str) -> str:
    return f"/connectors/{quote(name, safe='')}"


def _field(checked: _Checked, shown: Config) -> ConfigField:
    definition, value = checked.definition, checked.value
    text = shown.get(value.name, _text(value.value))
    return ConfigField(
        name=definition.name,
        value=secrets.HIDDEN if definition.type == "PASSWORD" and text else text,
        type=definition.type,
        required=definition.required,
        importance=definition.importance,
        documentation=definition.documentation or "",
        group=definition.group or "",
        default=_text(definition.default_value),
        recommended=[str(one) for one in value.recommended_values],
        errors=value.errors,
    )


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
