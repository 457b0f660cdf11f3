"""`headwater.Client` and `headwater.AsyncClient` with a real server."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from headwater import AsyncClient, Client
from headwater.client import queries
from headwater.errors import EventsRefused, NotFound, Refused, Unreachable
from headwater.shapes.live import LiveChange, LiveResync
from headwater.shapes.marquez import Field
from tests.integration.samples import COLUMNS, JOBS, KAFKA, LAKE, recorded, run_event
from tests.support.server import MakeServer, Server, free_port


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


def test_a_client_reads_its_own_writes(client: Client) -> None:
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


def test_a_server_that_is_away_for_a_moment_is_waited_for(make_server: MakeServer) -> None:
    server = make_server().start()
    with Client(server.url) as client:
        client.send(run_event(0))
        server.stop()
        positions: list[int | None] = []
        sending = threading.Thread(target=lambda: positions.append(client.send([run_event(1), run_event(2)])))
        sending.start()
        server.start(port=server.port)
        sending.join(30)
        assert positions == [3]


def test_a_server_that_is_away_is_an_error_with_its_address() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    with Client(url) as client:
        with pytest.raises(Unreachable, match=url):
            client.healthz()
        with pytest.raises(Unreachable, match=url):
            client.send(run_event(), patience=0)
        with pytest.raises(Unreachable, match=url), client.live():
            pass


@pytest.mark.parametrize("url", ["localhost", "ftp://localhost", "http://", "http://[", "http://no.such.host.invalid"])
def test_an_invalid_address_is_an_error(url: str) -> None:
    with pytest.raises(Unreachable), Client(url) as client:
        client.healthz()


# Queries


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
    assert filled.late().examined > 0


def test_graphs_of_tables_and_columns(filled: Client) -> None:
    stats = "s3://warehouse:rest/default/supplier_stats"
    graph = filled.lineage(f"dataset:{stats}", direction="upstream", depth=1)
    assert f"dataset:{stats}" in {node.id for node in graph.graph}
    columns = filled.column_lineage(f"datasetField:{stats}:total_price")
    assert "datasetField:s3://warehouse:rest/default/orders:price" in {node.id for node in columns.graph}
    assert filled.lineage(f"dataset:{stats}", at="2020-01-01T00:00:00Z") != graph


def test_the_answer_is_available_as_it_was_received(filled: Client, shared_server: Server) -> None:
    node = "dataset:s3://warehouse:rest/default/orders"
    answer = filled.ask(queries.lineage(node, depth=1))
    assert answer.body == shared_server.get("/api/v1/lineage", nodeId=node, depth=1).content


def test_odd_names_are_found(client: Client) -> None:
    for number, name in enumerate(("a/b", "x y", "50%", "#1?", "é✓", "..", ".")):
        client.send(run_event(number, job=name, target=(LAKE, name)))
        assert client.job(JOBS, name).name == name
        assert client.lineage(f"job:{JOBS}:{name}", depth=0).graph


def test_an_unknown_name_is_an_error_with_similar_names(filled: Client) -> None:
    with pytest.raises(NotFound, match="failing-job"):
        filled.job("trial-flink", "failing-jobs")
    with pytest.raises(Refused) as refused:
        filled.lineage("nonsense")
    assert refused.value.status == 400


# The same, asynchronously


async def test_the_async_client_sends_and_queries(server: Server) -> None:
    async with AsyncClient(server.url) as client:
        assert await client.send([run_event(n, job=f"job_{n:04}") for n in range(600)]) == 600
        assert len([job async for job in client.jobs()]) == 600
        assert (await client.job(JOBS, "job_0000")).latestRun is not None
        with pytest.raises(NotFound):
            await client.job(JOBS, "nobody")
        with pytest.raises(EventsRefused):
            await client.send({"eventTime": "tomorrow"})


async def test_the_async_client_fails_when_no_server_is_there() -> None:
    async with AsyncClient(f"http://127.0.0.1:{free_port()}") as client:
        with pytest.raises(Unreachable):
            await client.healthz()
        with pytest.raises(Unreachable):
            await client.send(run_event(), patience=0)
        with pytest.raises(Unreachable):
            await client.live().__aenter__()


# Live


def test_changes_come_as_they_happen(client: Client) -> None:
    with client.live() as changes, Client(client.url) as other:
        other.send(run_event(0, "START", run="r"))
        other.send(run_event(1, "COMPLETE", run="r"))
        first, second = next(changes), next(changes)
    assert isinstance(first, LiveChange)
    assert isinstance(second, LiveChange)
    assert (first.position, second.position) == (1, 2)
    assert first.run is not None
    assert second.run is not None
    assert (first.run.state, second.run.before, second.run.state) == ("RUNNING", "RUNNING", "COMPLETED")
    assert f"job:{JOBS}:orders_to_lake" in {node.nodeId for node in first.addedNodes}


def test_a_stream_goes_on_where_it_was(client: Client) -> None:
    with client.live() as changes:
        client.send([run_event(n) for n in range(5)])
        assert next(changes).position == 1
    with client.live(after=3) as changes:
        assert [next(changes).position, next(changes).position] == [4, 5]


def test_a_stream_survives_that_the_server_is_killed(make_server: MakeServer) -> None:
    server = make_server().start()
    seen: list[LiveChange | LiveResync] = []
    with Client(server.url) as client, client.live() as changes:
        client.send(run_event(0))
        seen.append(next(changes))
        server.kill()
        server.start(port=server.port)
        listening = threading.Thread(target=lambda: seen.append(next(c for c in changes if isinstance(c, LiveChange))))
        listening.start()
        for number in range(1, 1000):  # updates are missed until it is back, and nobody knows when that is
            client.send(run_event(number))
            listening.join(0.05)
            if not listening.is_alive():
                break
    assert [type(change) for change in seen] == [LiveChange, LiveChange]
    assert seen[0].position == 1
    assert 1 < seen[1].position <= number + 1


def test_a_stream_can_be_of_one_namespace(client: Client) -> None:
    with client.live(namespace="s3://other") as changes:
        client.send(run_event(0))
        client.send(run_event(1, job="elsewhere", target=("s3://other", "t")))
        change = next(changes)
    assert isinstance(change, LiveChange)
    assert change.job == f"job:{JOBS}:elsewhere"


def test_a_stream_about_nothing_that_exists_is_refused(client: Client) -> None:
    with pytest.raises(NotFound), client.live(node_id="job:no:body"):
        pass


async def test_the_async_client_listens_too(make_server: MakeServer) -> None:
    server = make_server().start()
    async with AsyncClient(server.url) as client, client.live() as changes:
        await client.send(run_event(0))
        assert (await anext(changes)).position == 1
        server.kill()
        server.start(port=server.port)
        listening = asyncio.ensure_future(anext(changes))
        for number in range(1, 1000):
            await client.send(run_event(number))
            done, _ = await asyncio.wait((listening,), timeout=0.05)
            if done:
                break
        assert 1 < listening.result().position <= number + 1


# Changes


def test_the_catalogue_can_be_changed(client: Client) -> None:
    client.put_namespace("ns", owner="ann", description="hers")
    assert client.namespace("ns").ownerName == "ann"
    client.put_source("lake", kind="S3", connection_url="s3://lake")
    assert client.source("lake").connectionUrl == "s3://lake"
    assert "lake" in {source.name for source in client.sources()}
    client.put_dataset("ns", "orders", source="lake", fields=[{"name": "price", "type": "double"}], tags=["RAW"])
    client.put_dataset("ns", "stats", source="lake")
    assert client.dataset("ns", "orders").tags == ["RAW"]
    client.put_tag("PII", description="personal")
    assert {"PII", "RAW"} <= {tag.name for tag in client.tags()}
    tagged = client.tag_dataset("ns", "orders", "PII", field="price")
    assert tagged.fields[0].tags == ["PII"]
    assert client.untag_dataset("ns", "orders", "PII", field="price").fields[0].tags == []
    client.put_job("ns", "load", inputs=[("ns", "orders")], outputs=[("ns", "stats")], description="loads")
    assert client.job("ns", "load").description == "loads"
    assert client.tag_job("ns", "load", "NIGHTLY").tags == ["NIGHTLY"]
    assert client.untag_job("ns", "load", "NIGHTLY").tags == []
    run = client.create_run("ns", "load", args={"day": "1"})
    assert (run.state, run.args) == ("NEW", {"day": "1"})
    assert client.mark_run(run.id, "start", at="2026-11-10T09:00:00Z").state == "RUNNING"
    assert client.mark_run(run.id, "fail").state == "FAILED"
    assert [job.name for job in client.jobs("ns", last_run_states=["FAILED"])] == ["load"]
    assert list(client.jobs(last_run_states=["COMPLETED"])) == []
    assert len(client.event_counts(period="WEEK", timezone="UTC")) == 7
    assert client.counts("jobs")[-1].count == 1


def test_what_was_deleted_is_gone(client: Client) -> None:
    client.send(run_event())
    client.delete_job(JOBS, "orders_to_lake")
    with pytest.raises(NotFound):
        client.job(JOBS, "orders_to_lake")
    client.delete_dataset(LAKE, "orders")
    with pytest.raises(NotFound):
        client.dataset(LAKE, "orders")
    client.delete_namespace(JOBS)
    assert JOBS not in {namespace.name for namespace in client.namespaces() if not namespace.isHidden}


def test_versions_can_be_queried(client: Client) -> None:
    client.send([run_event(n) for n in range(2)])
    (version,) = client.job_versions(JOBS, "orders_to_lake")
    assert client.job_version(JOBS, "orders_to_lake", version.version).inputs == version.inputs
    newest, *_ = client.versions(LAKE, "orders")
    assert client.version(LAKE, "orders", newest.version).version == newest.version
