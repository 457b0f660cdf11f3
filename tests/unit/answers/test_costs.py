"""What questions cost: whatever the query, no statement goes through all of a large table, and the
same answer costs the same in a store with many more runs."""

import re
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from httpx import ASGITransport, AsyncClient

from headwater.api.app import Application
from headwater.api.routes import api_router
from headwater.api.routes.search import beta_router
from headwater.config import Settings
from headwater.ingest.service import Service
from headwater.store.sqlite.tables import SqliteTables
from tests.support.make import columns, dataset, facet, parent, run, schema, symlinks, time
from tests.support.world import World

_JOB, _DATASET = "/api/v1/namespaces/jobs/jobs", "/api/v1/namespaces/db/datasets"
_NODE = "nodeId=dataset:db:clean"
_MOMENT = f"at={time(5)}"

# By route; the same answers in a small store and in a large one.
QUERIES: dict[str, list[str]] = {
    "/api/v1/lineage": [f"/api/v1/lineage?{_NODE}", f"/api/v1/lineage?{_NODE}&{_MOMENT}"],
    "/api/v1/column-lineage": [f"/api/v1/column-lineage?{_NODE}", f"/api/v1/column-lineage?{_NODE}&{_MOMENT}"],
    "/api/v1/events/lineage": [
        f"/api/v1/events/lineage?limit=3&offset=3&sortDirection={way}{when}"
        for way in ("asc", "desc")
        for when in ("", f"&after={time(7)}", f"&before={time(200)}", f"&after={time(7)}&before={time(200)}")
    ],
    "/api/v1/events": ["/api/v1/events?limit=3"],
    "/api/v1/namespaces": ["/api/v1/namespaces"],
    "/api/v1/namespaces/{namespace:str}": ["/api/v1/namespaces/db"],
    "/api/v1/sources": ["/api/v1/sources"],
    "/api/v1/sources/{source:str}": ["/api/v1/sources/warehouse"],
    "/api/v1/tags": ["/api/v1/tags"],
    "/api/v1/namespaces/{namespace:str}/datasets": [_DATASET],
    "/api/v1/namespaces/{namespace:str}/datasets/{name:str}": [f"{_DATASET}/clean"],
    "/api/v1/namespaces/{namespace:str}/datasets/{name:str}/versions": [
        f"{_DATASET}/{name}/versions?limit=3&offset=3" for name in ("clean", "sums")
    ],
    "/api/v1/namespaces/{namespace:str}/datasets/{name:str}/versions/{version:str}": [f"{_DATASET}/sums/versions/v7"],
    "/api/v1/namespaces/{namespace:str}/jobs": [f"{_JOB}?limit=3", f"{_JOB}?limit=3&lastRunStates=COMPLETED"],
    "/api/v1/jobs": ["/api/v1/jobs?limit=3"],
    "/api/v1/namespaces/{namespace:str}/jobs/{name:str}": [f"{_JOB}/load"],
    "/api/v1/namespaces/{namespace:str}/jobs/{name:str}/versions": [f"{_JOB}/load/versions"],
    "/api/v1/namespaces/{namespace:str}/jobs/{name:str}/versions/{version:str}": [f"{_JOB}/load/versions/{{version}}"],
    "/api/v1/namespaces/{namespace:str}/jobs/{name:str}/runs": [
        f"{_JOB}/{job}/runs?limit=3&offset=3" for job in ("load", "dag")
    ],
    "/api/v1/jobs/runs/{run_id:str}": ["/api/v1/jobs/runs/sum-5"],
    "/api/v1/jobs/runs/{run_id:str}/facets": ["/api/v1/jobs/runs/sum-5/facets"],
    "/api/v1/stats/lineage-events": ["/api/v1/stats/lineage-events?period=DAY"],
    "/api/v1/stats/jobs": ["/api/v1/stats/jobs?period=DAY"],
    "/api/v1/stats/datasets": ["/api/v1/stats/datasets?period=DAY"],
    "/api/v1/stats/sources": ["/api/v1/stats/sources?period=DAY"],
    "/api/v1/search": ["/api/v1/search?q=cle"],
    "/api/v1/why": [f"/api/v1/why?{_NODE}", f"/api/v1/why?{_NODE}&{_MOMENT}", "/api/v1/why?nodeId=run:sum-5"],
    "/api/v1/freshness": [f"/api/v1/freshness?{_NODE}"],
    "/api/v1/late": ["/api/v1/late"],
    "/api/v1/runlineage/upstream": ["/api/v1/runlineage/upstream?runId=sum-5"],
    "/api/v1/runlineage/downstream": ["/api/v1/runlineage/downstream?runId=load-5"],
    "/api/v1/impact": [f"/api/v1/impact?{_NODE}"],
    "/api/v1/path": ["/api/v1/path?from=dataset:db:raw&to=dataset:db:sums"],
    "/api/v1/diff": [f"/api/v1/diff?from={time(-4)}&to={time(20)}"],
    "/api/v1/gaps": ["/api/v1/gaps?kind=jobsWithoutOwner"],
    "/api/v2beta/search/jobs": ["/api/v2beta/search/jobs?q=load"],
    "/api/v2beta/search/datasets": ["/api/v2beta/search/datasets?q=clean"],
}
# Counting takes a step for each of these: a quarter of an hour in which there were events, or a
# version of the requested dataset. A million of them take 40 ms.
COUNTED = ("/events/lineage?", "/versions?")

pytestmark = pytest.mark.filterwarnings("ignore::litestar.exceptions.LitestarDeprecationWarning")

_CONNECT = "/api/v1/connect"  # queried elsewhere
NOT_QUERIED = {
    "/api/v1/live",  # a stream, of what is in memory
    f"{_CONNECT}/clusters",
    f"{_CONNECT}/connectors",
    f"{_CONNECT}/clusters/{{cluster:str}}/connectors",
    f"{_CONNECT}/clusters/{{cluster:str}}/connectors/{{name:str}}",
    f"{_CONNECT}/clusters/{{cluster:str}}/plugins",
}


def events(runs: int) -> Iterator[dict[str, Any]]:
    """Two jobs, one after the other, that run every ten minutes; statistics always say something new."""
    source = {"dataSource": facet(name="warehouse", uri="postgres://db")}
    yield run("COMPLETE", "load", -5, "first", ["raw"], [dataset("clean", symlinks(("hive", "clean")))])
    for number in range(runs):
        facets = {"dataQualityMetrics": facet(rowCount=number), **source}
        clean = dataset("clean", {**schema("id"), **columns(id=["raw.id"]), **facets})
        version = {"version": facet(datasetVersion=f"v{number}")}
        above = parent("dag", f"dag-{number}")
        yield run("START", "load", 10 * number, f"load-{number}", [dataset("raw", schema("id"))], [clean], above)
        yield run("COMPLETE", "load", 10 * number + 1, f"load-{number}")
        sums = [dataset("sums", {**schema("s"), **version})]
        yield run("COMPLETE", "sum", 10 * number + 5, f"sum-{number}", ["clean"], sums)


class Asked:
    """An application that answers without a server, and what its statements did."""

    def __init__(self, world: World, client: AsyncClient) -> None:
        self._client = client
        self._counter: Counter[str] = Counter()
        self._heard: list[tuple[sqlite3.Connection, str]] = []
        for readers in (world.tables._readers, world.log._readers):
            readers.close()
            readers.connect = partial(self._watched, readers.connect)

    def _watched(self, connect: Callable[[], sqlite3.Connection]) -> sqlite3.Connection:
        db = connect()
        db.set_progress_handler(lambda: self._counter.update(steps=1), 1)
        db.set_trace_callback(lambda sql: self._heard.append((db, sql)))
        return db

    async def get(self, path: str) -> Any:
        response = await self._client.get(path)
        assert response.status_code == 200, (path, response.text)
        return response.json()

    async def steps(self, path: str) -> int:
        """How many steps SQLite took for an answer, which was given once before."""
        await self.get(path)
        with self._counted() as counter:
            await self.get(path)
        return counter["steps"]

    @contextmanager
    def _counted(self) -> Iterator[Counter[str]]:
        self._counter = Counter()
        yield self._counter
        self._counter = Counter()

    @contextmanager
    def statements(self) -> Iterator[list[tuple[sqlite3.Connection, str]]]:
        """Those that run meanwhile, with their values."""
        self._heard = []
        yield self._heard
        self._heard = []

    async def paths(self) -> dict[str, str]:
        """All questions, with the route that each is for."""
        (version, *_) = (await self.get(f"{_JOB}/load/versions"))["versions"]
        return {path.format(version=version["version"]): route for route, some in QUERIES.items() for path in some}


@asynccontextmanager
async def answering(runs: int, folder: Path) -> AsyncIterator[Asked]:
    world = World(events(runs))
    service = Service(world.log, world.tables, world.state)
    application = Application(service, Settings(data=folder))
    await application.search.start()
    transport: Any = ASGITransport(application)
    try:
        async with AsyncClient(transport=transport, base_url="http://test") as client:
            yield Asked(world, client)
    finally:
        await application.search.stop()


def test_every_query_is_tested_here() -> None:
    routes = [route for router in (api_router, beta_router) for route in router.routes]
    queries = {route.path for route in routes if "GET" in route.methods}
    assert queries == QUERIES.keys() | NOT_QUERIED


async def test_no_statement_goes_through_all_of_a_table(tmp_path: Path) -> None:
    async with answering(12, tmp_path) as server:
        with server.statements() as statements:
            for path in await server.paths():
                await server.get(path)
        assert len(statements) > 20
        assert [(sql, scanned) for reader, sql in statements if (scanned := scans(reader, sql))] == []


def test_a_scan_is_noticed(tmp_path: Path) -> None:
    tables = SqliteTables(tmp_path)
    try:
        for statement in (
            "SELECT count(*) FROM runs",
            "SELECT * FROM uses WHERE facets = x'80'",
            "SELECT position FROM events ORDER BY time",
            "SELECT position FROM events ORDER BY kind LIMIT 3",
            "SELECT count(*) FROM runs JOIN events ON events.job = runs.started",
        ):
            assert scans(tables._readers.mine(), statement)
        assert not scans(tables._readers.mine(), "SELECT position FROM events ORDER BY time LIMIT 3")
        assert not scans(tables._readers.mine(), "SELECT * FROM runs WHERE row IN (1, 2)")
    finally:
        tables.close()


def scans(db: sqlite3.Connection, statement: str) -> list[str]:
    """The lines of a statement's plan that go through a whole table."""
    plan = [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {statement}")]
    query = statement.partition(") SELECT json_group_array")[0]  # the rest puts its rows into one
    in_order = re.search(r"LIMIT \d+( OFFSET \d+)?$", query) and not any("TEMP B-TREE" in line for line in plan)
    return [
        line for line in plan if re.match("SCAN|.*AUTOMATIC", line) and not _is_short(line, in_order=bool(in_order))
    ]


def _is_short(line: str, *, in_order: bool) -> bool:
    """What is given with the statement, or a walk along an index that ends soon."""
    return bool(re.match(r"SCAN (given|each_version|query_rows|CONSTANT ROW|\d+ CONSTANT ROWS|\(subquery)", line)) or (
        in_order and " USING " in line
    )


async def test_an_answer_costs_the_same_however_many_runs_there_are(tmp_path: Path) -> None:
    costs: list[dict[str, int]] = []
    for runs in (30, 600):
        async with answering(runs, tmp_path / str(runs)) as server:
            costs.append({path: await server.steps(path) for path in await server.paths()})
    few, many = costs
    grown = {path: (steps, many[path]) for path, steps in few.items() if many[path] > steps}
    assert all(any(counted in path for counted in COUNTED) for path in grown), grown
    assert all(after - before < 4 * (600 - 30) * 2 for before, after in grown.values()), grown
