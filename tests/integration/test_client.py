"""`headwater.Client` and `headwater.AsyncClient` with a real server."""

import threading
from collections.abc import Iterator

import pytest

from headwater import AsyncClient, Client
from headwater.client import calls
from headwater.errors import EventsRefused, NotFound, Refused, Unreachable
from headwater.shapes.marquez import Field
from tests.integration.conftest import Start
from tests.integration.samples import COLUMNS, JOBS, KAFKA, LAKE, recorded, run_event
from tests.integration.support import Server, free_port


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with Client(server.url) as client:
        yield client


@pytest.fixture(scope="module")
def filled(shared_server: Server) -> Iterator[Client]:
    """A client of a server with the recorded events in it."""
    with Client(shared_server.url) as client:
        client.send(recorded())
        yield client


# Sending


def test_what_was_sent_is_there_when_asked(client: Client) -> None:
    position = client.send(run_event())
    assert position == client.position == 1
    assert client.job(JOBS, "orders_to_lake").name == "orders_to_lake"
    assert [run.state for run in client.runs(JOBS, "orders_to_lake")] == ["COMPLETED"]


def test_sending_again_changes_nothing(client: Client) -> None:
    events = [run_event(n) for n in range(3)]
    assert client.send(events) == client.send(events) == 3
    assert len(list(client.events())) == 3


def test_good_events_are_in_and_bad_ones_are_named(client: Client) -> None:
    with pytest.raises(EventsRefused) as refusal:
        client.send([run_event(0), {"eventTime": "tomorrow"}, b"{broken", run_event(1)])
    assert list(refusal.value.refused) == [1, 2]
    assert "eventTime" in refusal.value.refused[1]
    assert refusal.value.position == 2
    assert len(list(client.events())) == 2


def test_a_server_that_is_away_for_a_moment_is_waited_for(make_server: Start) -> None:
    server = make_server().start()
    with Client(server.url) as client:
        client.send(run_event(0))
        server.stop()
        told: list[int | None] = []
        sending = threading.Thread(target=lambda: told.append(client.send([run_event(1), run_event(2)])))
        sending.start()
        server.start(port=server.port)
        sending.join(30)
        assert told == [3]


def test_a_server_that_is_not_there_is_said_with_its_address() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    with Client(url) as client:
        with pytest.raises(Unreachable, match=url):
            client.healthz()
        with pytest.raises(Unreachable, match=url):
            client.send(run_event(), patience=0)
        with pytest.raises(Unreachable, match=url):
            next(client.live())


@pytest.mark.parametrize("url", ["localhost", "ftp://localhost", "http://", "http://[", "http://no.such.host.invalid"])
def test_an_address_that_makes_no_sense_is_said(url: str) -> None:
    with pytest.raises(Unreachable), Client(url) as client:
        client.healthz()


# Asking


def test_lists_come_whole_however_many_pages_they_have(client: Client) -> None:
    client.send(run_event(n, job=f"job_{n:04}", target=(LAKE, f"table_{n:04}")) for n in range(1203))
    assert len({job.name for job in client.jobs()}) == 1203
    assert len({job.name for job in client.jobs(JOBS)}) == 1203
    assert len({dataset.name for dataset in client.datasets(LAKE)}) == 1203
    assert len(list(client.events())) == 1203


def test_answers_are_typed(filled: Client) -> None:
    assert filled.healthz().status == "ok"
    filled.send(run_event(job="typed", target=(LAKE, "typed")))
    dataset = filled.dataset(LAKE, "typed")
    assert dataset.fields == [Field(name, kind, [], None) for name, kind in COLUMNS]
    assert dataset.facets["schema"]["fields"][0]["name"] == COLUMNS[0][0]
    (run,) = filled.runs(JOBS, "typed")
    assert filled.run(run.id).states[0].type == "COMPLETE"
    assert filled.run_facets(run.id).facets["nominalTime"]
    (version,) = filled.versions(LAKE, "typed")
    assert version.createdByRun is not None
    assert version.createdByRun.id == run.id
    assert {LAKE, KAFKA, JOBS} <= {namespace.name for namespace in filled.namespaces()}
    assert filled.namespace(LAKE).name == LAKE


def test_graphs_of_tables_and_columns(filled: Client) -> None:
    stats = "s3://warehouse:rest/default/supplier_stats"
    graph = filled.lineage(f"dataset:{stats}", direction="upstream", depth=1)
    assert f"dataset:{stats}" in {node.id for node in graph.graph}
    columns = filled.column_lineage(f"datasetField:{stats}:total_price")
    assert "datasetField:s3://warehouse:rest/default/orders:price" in {node.id for node in columns.graph}
    assert filled.lineage(f"dataset:{stats}", at="2020-01-01T00:00:00Z") != graph


def test_the_answer_can_be_had_as_it_came(filled: Client, shared_server: Server) -> None:
    node = "dataset:s3://warehouse:rest/default/orders"
    answer = filled.ask(calls.lineage(node, depth=1))
    assert answer.body == shared_server.get("/api/v1/lineage", nodeId=node, depth=1).content


def test_odd_names_are_found(client: Client) -> None:
    for number, name in enumerate(("a/b", "x y", "50%", "#1?", "é✓", "..", ".")):
        client.send(run_event(number, job=name, target=(LAKE, name)))
        assert client.job(JOBS, name).name == name
        assert client.lineage(f"job:{JOBS}:{name}", depth=0).graph


def test_what_is_not_there_is_told_with_names_that_are_close(filled: Client) -> None:
    with pytest.raises(NotFound, match="failing-job"):
        filled.job("trial-flink", "failing-jobs")
    with pytest.raises(Refused) as refused:
        filled.lineage("nonsense")
    assert refused.value.status == 400


# The same, asynchronously


async def test_the_async_client_sends_and_asks(server: Server) -> None:
    async with AsyncClient(server.url) as client:
        assert await client.send([run_event(n, job=f"job_{n:04}") for n in range(600)]) == 600
        assert len([job async for job in client.jobs()]) == 600
        assert (await client.job(JOBS, "job_0000")).latestRun is not None
        with pytest.raises(NotFound):
            await client.job(JOBS, "nobody")
        with pytest.raises(EventsRefused):
            await client.send({"eventTime": "tomorrow"})


async def test_the_async_client_says_when_nobody_is_there() -> None:
    async with AsyncClient(f"http://127.0.0.1:{free_port()}") as client:
        with pytest.raises(Unreachable):
            await client.healthz()
        with pytest.raises(Unreachable):
            await client.send(run_event(), patience=0)
        with pytest.raises(Unreachable):
            await anext(client.live())
