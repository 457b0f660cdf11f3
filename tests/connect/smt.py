"""Connectors with Headwater's transform in them, and what it reported."""

from urllib.parse import quote

from tests.connect.cluster import NAMESPACE, Cluster, Json

SMT = "io.headwater.connect.OpenLineageLifecycleSmt"
TEXT = "org.apache.kafka.connect.storage.StringConverter"


def smt(cluster: Cluster, **more: str) -> dict[str, str]:
    """The options that put it into a connector."""
    options = {"type": SMT, "transport.url": cluster.headwater, "kafka": cluster.kafka, "interval.ms": "1000", **more}
    return {"transforms": "lineage"} | {f"transforms.lineage.{name}": value for name, value in options.items()}


def source(cluster: Cluster, name: str, text: str = "a line\n", **more: str) -> Json:
    file = cluster.files / f"{name}.txt"
    file.write_text(text)
    kind = "org.apache.kafka.connect.file.FileStreamSourceConnector"
    return {"connector.class": kind, "file": str(file), "topic": name, **more}


def sink(cluster: Cluster, topic: str, **more: str) -> Json:
    file = cluster.files / f"{topic}.out"
    kind = "org.apache.kafka.connect.file.FileStreamSinkConnector"
    config = {"connector.class": kind, "file": str(file), "topics": topic}
    return config | {"key.converter": TEXT, "value.converter": TEXT} | more


def workers(cluster: Cluster, name: str) -> list[Json]:
    """What each worker reported last in the latest run."""
    facets: Json = next((run["facets"] for run in cluster.runs(name)), {})
    return [facet for name, facet in sorted(facets.items()) if name.startswith("headwater_connect_smt_")]


def columns(cluster: Cluster, topic: str) -> dict[str, str]:
    """Of a topic, with their types."""
    namespace = quote(f"kafka://{cluster.kafka}", safe="")
    fields = cluster.get(f"/api/v1/namespaces/{namespace}/datasets/{quote(topic, safe='')}").get("fields", [])
    return {field["name"]: field["type"] for field in fields}


def events(cluster: Cluster, name: str) -> list[Json]:
    """All events of a connector, the latest first."""
    all_events = cluster.get("/api/v1/events/lineage", limit=1000).get("events", [])
    return [event for event in all_events if event["job"] == event["job"] | {"namespace": NAMESPACE, "name": name}]


def statistics(cluster: Cluster, name: str, side: str, facet: str) -> list[Json]:
    all_facets = [dataset.get(f"{side[:-1]}Facets") or {} for event in events(cluster, name) for dataset in event[side]]
    return [facets[facet] for facets in all_facets if facet in facets]
