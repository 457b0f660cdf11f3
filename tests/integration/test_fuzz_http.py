"""Whatever is posted, nothing answers 5xx, and the state stays that of the log."""

import http.client
import json
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.integration.samples import run_event
from tests.integration.strategies import BEYOND, Json, broken_events, valid_events
from tests.support.examples import TIMES
from tests.support.server import Server, assert_error, differences, namespace_path, path_of, rebuild

fuzzed = settings(
    max_examples=60 * TIMES,
    derandomize=TIMES == 1,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


def text_of(event: Json) -> bytes:
    return json.dumps(event).encode()


def ask(server: Server, path: str) -> tuple[int, Any]:
    """By a client that sends the path as it is."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def cannot_be_fetched(server: Server) -> list[str]:
    """What is listed but not found by its path and by its node id."""
    wrong: list[str] = []

    def expect(path: str, entity: dict[str, str] | str | None = None) -> Any:
        status, body = ask(server, path)
        if status != 200 or (entity is not None and body.get("id") != entity):
            wrong.append(f"{entity or ''} {path}: {status} {str(body)[:200]}")
        return body

    for namespace in (n["name"] for n in server.json("/api/v1/namespaces", limit=1000)["namespaces"]):
        for kind in ("datasets", "jobs"):
            listed = expect(f"{namespace_path(namespace)}/{kind}?limit=1000")
            for name in (entity["name"] for entity in listed.get(kind, ())):
                entity = {"namespace": namespace, "name": name}
                expect(path_of(kind, namespace, name), entity)
                node = quote(f"{kind[:-1]}:{namespace}:{name}", safe="")
                expect(f"/api/v1/lineage?nodeId={node}")
                expect(f"/api/v1/column-lineage?nodeId={node}&withDownstream=true")
                if kind == "jobs":
                    for run in expect(f"{path_of(kind, namespace, name)}/runs").get("runs", ()):
                        expect("/api/v1/jobs/runs/" + quote(run["id"], safe="").replace(".", "%2E"), run["id"])
    return wrong


def the_state_is_that_of_the_log(server: Server) -> None:
    before = server.answers()
    server.stop()
    rebuild(server.data)
    assert not differences(before, server.start().answers())


@pytest.mark.timeout(300 * TIMES)
def test_valid_events_are_accepted_whatever_their_names(server: Server) -> None:
    @fuzzed
    @given(st.lists(valid_events, min_size=1, max_size=6))
    def post(events: list[dict[str, Any]]) -> None:
        assert server.post(text_of(events[0])).status_code == 201
        answer = server.post_batch(text_of(events))
        assert answer.status_code == 204, answer.text

    post()
    assert not cannot_be_fetched(server)
    the_state_is_that_of_the_log(server)


@pytest.mark.timeout(300 * TIMES)
def test_broken_events_are_accepted_or_refused_but_never_fail(server: Server) -> None:
    assert server.post(run_event()).status_code == 201

    @fuzzed
    @given(st.lists(broken_events(), min_size=1, max_size=6))
    def post(events: list[Json]) -> None:
        answer = server.post(text_of(events[0]))
        if answer.status_code != 201:
            assert assert_error(answer, answer.status_code)["code"] in (400, 422)
        answer = server.post_batch(text_of(events))
        assert answer.status_code in (200, 204), answer.text

    post()
    assert not cannot_be_fetched(server)
    the_state_is_that_of_the_log(server)


def _named(**parts: Any) -> dict[str, Any]:
    event = run_event(run="run-1")
    for path, value in parts.items():
        *way, last = path.split("__")
        at: Any = event
        for key in way:
            at = at[int(key)] if key.isdigit() else at.setdefault(key, {})
        at[last] = value
    return event


_NAMELESS, _REAL = {"namespace": "ns", "name": ""}, {"namespace": "ns", "name": "parent"}
_ODD = {
    "brokers with slashes": _named(inputs__0__namespace="kafka://b:9092/,a:9092/"),
    "a parent without a name": _named(run__facets__parent={"run": {"runId": "up"}, "job": _NAMELESS}),
    "a root run without an id": _named(run__facets__parent={"root": {"run": {"runId": ""}, "job": _REAL}}),
    "a parent run without an id": _named(run__facets__parent={"run": {"runId": ""}, "job": _REAL}),
    "private characters": _named(job__name="a\ue000b", inputs__0__namespace="\ue001"),
    "dots": _named(job__name="..", job__namespace=".", inputs__0__name=".", run__runId=".."),
    "only slashes": _named(job__name="//", job__namespace="/", inputs__0__name="///", outputs__0__namespace="//"),
    "no namespaces": _named(job__namespace="", inputs__0__namespace="", outputs__0__namespace=""),
    "an alias of itself": _named(
        inputs__0__facets__symlinks={"identifiers": [{"namespace": "kafka://broker-1:9092", "name": "orders"}]}
    ),
    "long names": _named(job__name="j" * 4000, inputs__0__name="ü" * 1000),
    "before the calendar": _named(eventTime=BEYOND[0]),
    "after the calendar": _named(eventTime=BEYOND[1]),
    "nominal time beyond the calendar": _named(
        run__facets__nominalTime={"nominalStartTime": BEYOND[0], "nominalEndTime": BEYOND[1]}
    ),
}


def test_odd_events_break_no_answer(server: Server) -> None:
    assert server.post(run_event(run="run-0")).status_code == 201
    wrong: dict[str, list[str]] = {}
    known: set[str] = set()
    for name, event in _ODD.items():
        assert server.post(event).status_code in (201, 422), name
        fresh = [problem for problem in cannot_be_fetched(server) if problem not in known]
        known.update(fresh)
        if fresh:
            wrong[name] = fresh
    assert not wrong


_PIECES = (b"{", b"}", b"[", b"]", b'"', b":", b",", b"\\u", b"\\", b"\xff", b"0", b"-", b"e", b"null", b'"eventTime"')


def test_bytes_that_are_no_event_are_refused(server: Server) -> None:
    @fuzzed
    @given(st.binary(max_size=50) | st.lists(st.sampled_from(_PIECES), max_size=12).map(b"".join))
    def post(body: bytes) -> None:
        answer = server.post(body)
        assert assert_error(answer, answer.status_code)["code"] in (400, 422)
        assert server.post_batch(body).status_code in (200, 204, 400, 422)

    post()
    assert server.json("/healthz")["position"] == 0


def test_the_deepest_event_that_is_accepted_can_be_replayed(server: Server) -> None:
    """The stack is not equally full at ingest, at the start and in a rebuild."""

    def accepts(where: str, depth: int) -> bool:
        event = run_event(depth)
        places = {"field": event, "facet": event["run"]["facets"]["nominalTime"], "dataset": event["inputs"][0]}
        places[where]["deep"] = "DEEP"
        body = text_of(event).replace(b'"DEEP"', b"[" * depth + b"]" * depth)
        return server.post(body).status_code == 201

    for where in ("field", "facet", "dataset"):
        low, high = 10, 2000
        assert accepts(where, low)
        assert not accepts(where, high)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if accepts(where, middle) else (low, middle)
    accepted = server.json("/healthz")["position"]
    server.stop()
    rebuild(server.data)
    (server.data / "tables.db").unlink()
    assert server.start().json("/healthz")["position"] == accepted
