"""Health and metrics."""

from litestar import Response, get
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from headwater import __version__
from headwater.api.context import App, answer, says
from headwater.ingest.service import Service
from headwater.openlineage.facets import not_understood
from headwater.search.search import Search
from headwater.shapes import marquez as shapes


@get("/healthz", responses=says(shapes.Health), summary="Health: whether the server can ingest events")
async def healthz(app: App) -> Response[bytes]:
    service = app.service
    failing = service.last_failure
    body = shapes.Health(
        "ok" if failing is None else f"degraded: {failing}",
        service.state.position,
        service.tables_position,
        __version__,
    )
    response = answer(body)
    response.status_code = 200 if failing is None else 503
    return response


class _Collector(Collector):
    def __init__(self, service: Service, search: Search) -> None:
        self._service, self._search = service, search

    def collect(self) -> list[Metric]:
        service, counters, state = self._service, self._service.counters, self._service.state
        counted = {
            "events_accepted": ("Events taken in", counters.accepted),
            "events_duplicate": ("Events that were in the log already", counters.duplicates),
            "events_rejected": ("Events or bodies that could not be accepted", counters.rejected),
            "body_bytes": ("Bytes of request bodies taken in, decompressed", counters.bytes_in),
            "log_commits": ("Group commits of the log", counters.commits),
            "table_writes": ("Writes of the derived tables", counters.table_writes),
            "store_failures": ("Commits that the disk refused", counters.store_failures),
            "live_resyncs": ("Times that a live subscriber had to be told to ask again", service.live.resyncs),
            "queries_timed_out": ("Questions that took longer than they may", counters.queries_timed_out),
            "queries_abandoned": ("Questions whose client left before the answer", counters.queries_abandoned),
        }
        gauges = {
            "queries_running": ("Questions being worked on, this one too", counters.queries_running),
            "log_position": ("Position of the last event", state.position),
            "tables_behind": ("Events that the tables do not have yet", state.position - service.tables_position),
            "log_bytes": ("Size of the log on disk", service.log.size()),
            "tables_bytes": ("Size of the derived tables on disk", service.tables.size()),
            "search_behind": ("Events that the search index does not have yet", state.position - self._search.position),
            "search_bytes": ("Size of the search index on disk", self._search.size()),
            "jobs": ("Jobs", sum(len(names) for names in state.jobs.values())),
            "datasets": ("Names of datasets, aliases too", sum(len(n) for n in state.datasets.values())),
            "edges": ("Edges between jobs and datasets", len(state.edges)),
            "live_subscribers": ("Open live streams", len(service.live.subscribers)),
        }
        metrics: list[Metric] = [
            CounterMetricFamily(f"headwater_{name}", text, value=value) for name, (text, value) in counted.items()
        ]
        metrics += [GaugeMetricFamily(f"headwater_{name}", text, value=value) for name, (text, value) in gauges.items()]
        odd = CounterMetricFamily(
            "headwater_facets_not_understood",
            "Known facets that do not follow their schema; they are kept, but not interpreted",
            labels=["facet"],
        )
        for facet, count in not_understood.items():
            odd.add_metric([facet], count)
        return [*metrics, odd]


def registry_for(service: Service, search: Search) -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(_Collector(service, search))
    ProcessCollector(registry=registry)
    return registry


@get("/metrics", media_type="text/plain", summary="Metrics for Prometheus")
async def metrics(app: App) -> Response[bytes]:
    text = generate_latest(registry_for(app.service, app.search))
    return Response(text, headers={"content-type": CONTENT_TYPE_LATEST})


routes = (healthz, metrics)
