"""One Connect cluster: what runs there, and what may be done to it."""

import asyncio
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import msgspec

from headwater.connect import secrets
from headwater.connect.rest import REBALANCING, Connect, Entry, Info, State, Status, Trouble, bare, read
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
    """Raises Trouble where Connect does not do what is asked."""

    def __init__(self, name: str, url: str) -> None:
        self.name = name
        self._rest = Connect(url)
        self._passwords: dict[str, frozenset[str]] = {}  # by class

    async def close(self) -> None:
        await self._rest.close()

    async def about(self) -> ConnectCluster:
        shown = bare(self._rest.url)
        try:
            told = await self._rest.cluster()
        except Trouble as e:
            return ConnectCluster(self.name, shown, None, None, str(e))
        return ConnectCluster(self.name, shown, told.version, told.kafka_cluster_id, None)

    # Looking

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
        """Sources and sinks; converters and transforms are not for the connectors' list."""
        found = await self._ask("GET", "/connector-plugins?connectorsOnly=true", list[_Plugin])
        return sorted((ConnectorPlugin(p.class_name, p.type, p.version) for p in found), key=lambda p: p.className)

    async def check(self, config: Config, name: str | None = None) -> ConfigCheck:
        """What the plugin says of a configuration; of a connector that exists, hidden values count as they are."""
        kind = config.get(CLASS, "")
        if name is not None:
            config = await self._whole(config, name)
        config = {"name": name or _UNNAMED, **config}  # Connect wants one, whatever it is
        path = f"/connector-plugins/{quote(kind, safe='')}/config/validate"
        try:
            told = await self._ask("PUT", path, _Check, config)
        except Trouble as e:
            if "Failed to find any class" not in str(e):
                raise
            known = ", ".join(plugin.className for plugin in await self.plugins())
            raise Trouble(f"the cluster has no connector class {kind!r}, but {known}", status=400) from None
        passwords = {each.definition.name for each in told.configs if each.definition.type == "PASSWORD"}
        shown, _ = secrets.hide(config, passwords)
        return ConfigCheck(kind, told.error_count, [_field(each, shown) for each in told.configs])

    # Changing

    async def create(self, name: str, config: Config) -> None:
        await self._call("POST", "/connectors", {"name": name, "config": {**config, "name": name}})

    async def configure(self, name: str, config: Config) -> None:
        """Only one that exists: a wrong name must not make another."""
        if name not in await self._rest.names():
            raise Trouble(f"Connector {name} not found", status=404)
        whole = await self._whole(config, name)
        await self._call("PUT", f"{_path(name)}/config", {**whole, "name": name})

    async def act(self, name: str, action: str, *, only_failed: bool = False) -> None:
        if action == "restart":
            # Without tasks, Connect restarts an object that does nothing.
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
        """While it rebalances Connect does nothing, and a moment later it does; so nobody else has to ask again."""
        end = asyncio.get_running_loop().time() + _REBALANCE_SECONDS
        while True:
            try:
                return await self._rest.call(method, path, body)
            except Trouble as e:
                if str(e) != REBALANCING or asyncio.get_running_loop().time() > end:
                    raise
            await asyncio.sleep(0.3)

    async def _status(self, name: str) -> Status:
        try:
            found: Status = await self._ask("GET", f"{_path(name)}/status", Status)
        except Trouble as e:
            if not e.gone:
                raise
            # It was made a moment ago, and no worker has said anything of it yet.
            return Status(State("UNASSIGNED"))
        return found

    async def _offsets(self, name: str) -> list[dict[str, Any]]:
        """Some connectors cannot tell them, and while it rebalances Connect does not."""
        try:
            told: _Offsets = await self._ask("GET", f"{_path(name)}/offsets", _Offsets)
        except Trouble:
            return []
        return told.offsets

    async def _whole(self, config: Config, name: str) -> Config:
        try:
            known = self._config_of(await self._ask("GET", _path(name), Info))
        except Trouble as e:
            if e.gone:
                return config
            raise
        return secrets.put_back(config, known, await self._passwords_of(known.get(CLASS, "")))

    @staticmethod
    def _config_of(info: Info) -> Config:
        return {name: text or "" for name, text in msgspec.json.decode(info.config, type=dict[str, str | None]).items()}

    async def _passwords_of(self, kind: str) -> frozenset[str]:
        """The options that a class calls passwords. A class that is not installed any more says nothing."""
        if kind not in self._passwords:
            try:
                told = await self._ask("GET", f"/connector-plugins/{quote(kind, safe='')}/config", list[_Definition])
            except Trouble:
                return frozenset()
            self._passwords[kind] = frozenset(each.name for each in told if each.type == "PASSWORD")
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


def _field(told: _Checked, shown: Config) -> ConfigField:
    definition, value = told.definition, told.value
    given = shown.get(value.name, _text(value.value))
    return ConfigField(
        name=definition.name,
        value=secrets.HIDDEN if definition.type == "PASSWORD" and given else given,
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
