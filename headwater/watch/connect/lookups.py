"""What a connector's lineage needs beside its configuration: topics in use, their schemas, offsets and rates."""

import asyncio
import time
from collections.abc import Iterable, Mapping
from typing import Any

from headwater.connect.rest import Connect, ConnectRestError
from headwater.watch.connect.cluster import WatchedCluster
from headwater.watch.connect.connector import WatchedConnector
from headwater.watch.connect.connector_lineage import connector_lineage
from headwater.watch.connect.extraction import TopicCatalog
from headwater.watch.connect.mapping import ClassDescriptions
from headwater.watch.kafka.client import Flow, Kafka
from headwater.watch.polling import Health
from headwater.watch.registry.client import Registry

_AT_ONCE = 8


class Lookups:
    """What does not answer here only leaves something out of the lineage."""

    def __init__(
        self,
        connect: Connect,
        cluster: WatchedCluster,
        classes: ClassDescriptions,
        brokers: str,
        registry: Registry | None,
        kafka: Kafka | None,
        health: Health,
    ) -> None:
        self._connect, self._cluster, self._classes, self._brokers = connect, cluster, classes, brokers
        self._registry, self._kafka, self._health = registry, kafka, health

    def flows(self, name: str) -> Mapping[str, Flow]:
        return self._kafka.flows.get(name, {}) if self._kafka is not None else {}

    async def refresh(self, names: Iterable[str]) -> None:
        """Topics and schemas of these connectors, offsets of all."""
        await self.refresh_lineage(names)
        if self._kafka is None:
            return
        connectors = self._cluster.connectors
        used = {n: (c.lineage.group, c.lineage.topics) for n, c in connectors.items() if c.lineage is not None}
        if await self._kafka.refresh(used):
            for name, flows in self._kafka.flows.items():
                records = connectors[name].unreported_records if name in connectors else {}
                for topic, flow in flows.items():
                    records[topic] = records.get(topic, 0) + (flow.rows or 0)

    async def refresh_lineage(self, names: Iterable[str]) -> None:
        await self._refresh_topics(self._connectors(names))
        for name, connector in self._connectors(names):
            self.update_lineage(name, connector)
        if self._registry is not None:
            await self._registry.refresh()

    def _connectors(self, names: Iterable[str]) -> list[tuple[str, WatchedConnector]]:
        """Those that are still there."""
        return [(n, c) for n in names if (c := self._cluster.connectors.get(n)) is not None]

    async def _refresh_topics(self, connectors: Iterable[tuple[str, WatchedConnector]]) -> None:
        now = time.monotonic()
        gate = asyncio.Semaphore(_AT_ONCE)

        async def refresh(name: str, connector: WatchedConnector) -> None:
            async with gate:
                try:
                    topics = await self._connect.topics(name)
                except ConnectRestError as e:
                    if not e.not_found:
                        self._health.warn("topics", f"cannot ask Connect which topics are in use: {e}")
                    return
            connector.topics_backoff.answered(now, changed=topics != connector.used_topics)
            connector.used_topics = topics

        due = [(n, c) for n, c in connectors if c.topics_backoff.is_due(now) and c.needs_topics]
        await asyncio.gather(*(refresh(name, connector) for name, connector in due))

    def update_lineage(self, name: str, connector: WatchedConnector) -> None:
        """Extracts the lineage again if something that it was made from has changed."""
        schemas: list[Any] = []
        by_regex = self._kafka is not None and connector.config.get("topics.regex")
        all_topics = self._kafka.topics if self._kafka is not None and by_regex else None

        def schema(topic: str, part: str) -> Any:
            latest = self._registry.schema(topic, part) if self._registry is not None else None
            schemas.append((topic, part, latest))
            return latest

        basis = connector.lineage_basis
        if connector.lineage is not None and isinstance(basis, tuple):
            used_topics, topics, used_schemas = basis
            is_same = used_topics == connector.used_topics and topics == all_topics
            if is_same and all(schema(topic, part) is before for topic, part, before in used_schemas):
                return
            schemas.clear()
        kind = connector.status.type if connector.status is not None else ""
        # Without a broker's address, at least no two clusters are mixed up.
        brokers = self._brokers or self._cluster.id or "unknown"
        catalog = TopicCatalog(brokers, connector.used_topics, all_topics, schema)
        connector.set_lineage(connector_lineage(name, connector.config, kind, self._classes, catalog))
        connector.lineage_basis = (connector.used_topics, all_topics, tuple(schemas))
