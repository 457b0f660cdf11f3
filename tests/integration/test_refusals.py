"""What cannot be accepted: refused in the one error shape, and nothing of it is stored."""

import copy
import gzip
import json
from typing import Any

import pytest

from tests.integration.samples import Event, job_event, run_event
from tests.support.server import BATCH, EVENT, EVENTS, Server, assert_error

_MIB = 1 << 20


@pytest.fixture
def server(shared_server: Server) -> Server:
    return shared_server


# Bodies


def test_a_batch_that_is_no_array_is_refused_whole(server: Server) -> None:
    before = server.total()
    assert_error(server.post_batch(run_event(23)), 422, "$")
    assert_error(server.post_batch(b"[" + json.dumps(run_event(24)).encode()), 400)
    assert server.total() == before


@pytest.mark.parametrize("path", [EVENT, BATCH])
def test_a_gzip_bomb_is_too_large(server: Server, path: str) -> None:
    bomb = gzip.compress(b'{"x":"' + b" " * (64 * _MIB) + b'"}')
    assert len(bomb) < _MIB
    assert_error(server.client.post(path, content=bomb, headers={"content-encoding": "gzip"}), 413)


@pytest.mark.parametrize("path", [EVENT, BATCH])
@pytest.mark.parametrize("body", [b"no gzip at all", gzip.compress(b"[]" * 500)[:-20]], ids=["wrong", "cut short"])
def test_a_body_that_is_no_gzip_is_refused(server: Server, path: str, body: bytes) -> None:
    assert_error(server.client.post(path, content=body, headers={"content-encoding": "gzip"}), 400, "$")


def test_an_unknown_encoding_is_refused(server: Server) -> None:
    answer = server.post(json.dumps(run_event(34)).encode(), **{"content-encoding": "br"})
    assert "br" in assert_error(answer, 400)["message"]


@pytest.mark.parametrize("chunked", [False, True], ids=["content-length", "chunked"])
def test_a_body_over_32_mib_is_too_large(server: Server, chunked: bool) -> None:
    before = server.total()
    event = run_event(35)
    event["run"]["facets"]["large"] = {"text": "x" * (33 * _MIB)}
    text = json.dumps(event).encode()
    chunks = (text[at : at + _MIB] for at in range(0, len(text), _MIB))
    assert "32 MiB" in assert_error(server.client.post(EVENT, content=chunks if chunked else text), 413)["message"]
    assert server.total() == before


# What cannot be accepted


def _without(event: Event, *path: str | int) -> Event:
    event = copy.deepcopy(event)
    at: Any = event
    for key in path[:-1]:
        at = at[key]
    del at[path[-1]]
    return event


def _with(event: Event, value: Any, *path: str | int) -> Event:
    event = copy.deepcopy(event)
    at: Any = event
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return event


_GOOD = run_event(40)
_UNACCEPTABLE: dict[str, tuple[Any, str]] = {
    "no eventTime": (_without(_GOOD, "eventTime"), "eventTime"),
    "no job name": (_without(_GOOD, "job", "name"), "job.name"),
    "no job namespace": (_without(_GOOD, "job", "namespace"), "job.namespace"),
    "no runId": (_without(_GOOD, "run", "runId"), "run.runId"),
    "no input name": (_without(_GOOD, "inputs", 0, "name"), "inputs[0].name"),
    "no job": (_without(_GOOD, "job"), "job"),
    "nothing": ({"eventTime": "2026-11-15T00:00:00Z"}, "$"),
    "job and dataset": (job_event(41) | {"dataset": {"namespace": "a", "name": "b"}}, "dataset"),
    "empty job name": (_with(_GOOD, "", "job", "name"), "job.name"),
    "empty runId": (_with(_GOOD, "", "run", "runId"), "run.runId"),
    "empty output name": (_with(_GOOD, "", "outputs", 0, "name"), "outputs[0].name"),
    "eventTime that is none": (_with(_GOOD, "yesterday", "eventTime"), "eventTime"),
    "eventTime null": (_with(_GOOD, None, "eventTime"), "eventTime"),
    "eventType unknown": (_with(_GOOD, "PAUSE", "eventType"), "eventType"),
    "job name is a number": (_with(_GOOD, 7, "job", "name"), "job.name"),
    "inputs is an object": (_with(_GOOD, {}, "inputs"), "inputs"),
    "input is a text": (_with(_GOOD, "orders", "inputs", 0), "inputs[0]"),
    "facets is an array": (_with(_GOOD, [], "run", "facets"), "run.facets"),
    "facet is a number": (_with(_GOOD, 7, "outputs", 0, "facets", "schema"), "outputs[0].facets.schema"),
    "array for one event": ([_GOOD], "$"),
    "text for one event": ("event", "$"),
}


@pytest.mark.parametrize("name", _UNACCEPTABLE)
def test_what_lacks_meaning_is_refused_with_the_path(server: Server, name: str) -> None:
    before = server.total()
    event, path = _UNACCEPTABLE[name]
    assert_error(server.post(event), 422, path)
    assert server.total() == before


_TEXT = json.dumps(_GOOD).encode()
_MALFORMED = {
    "nothing": b"",
    "no JSON": b"eventTime=now",
    "cut short": _TEXT[:-10],
    "more behind": _TEXT + b"{}",
    "NaN": _TEXT.replace(b'"rowCount": 40', b'"rowCount": NaN'),
    "Infinity": _TEXT.replace(b'"eventType"', b'"x": -Infinity, "eventType"'),
    "bad UTF-8 in a name": _TEXT.replace(b"orders_to_lake", b"orders\xff"),
    "bad UTF-8 in a facet": _TEXT.replace(b"BATCH", b"\xc3\x28"),
    "half a surrogate pair": _TEXT.replace(b"orders_to_lake", b"\\ud83c"),
    "NUL in a facet": _TEXT.replace(b"BATCH", b"\x001234\x00"),
    "NUL in an unknown field": _TEXT.replace(b'"eventType"', b'"x": "\x001234\x00", "eventType"'),
    "control character": _TEXT.replace(b"BATCH", b"\x01"),
    "depth bomb": _TEXT.replace(b'"eventType"', b'"x": ' + b"[" * 100_000 + b"]" * 100_000 + b', "eventType"'),
    "depth bomb without end": b'{"x":' * 1_000_000,
}


@pytest.mark.parametrize("name", _MALFORMED)
def test_what_is_no_json_is_refused(server: Server, name: str) -> None:
    before = server.total()
    body = _MALFORMED[name]
    assert body != _TEXT
    assert_error(server.post(body), 400, "$")
    assert_error(server.post_batch(b"[1," + body + b"]"), 400, "$")
    assert server.total() == before


def test_a_deep_facet_is_refused_with_its_path(server: Server) -> None:
    deep = _TEXT.replace(b'"rowCount"', b'"x": ' + b"[" * 800 + b"]" * 800 + b', "rowCount"')
    assert_error(server.post(deep), 422, "outputs[0].outputFacets.outputStatistics")


# Routes


@pytest.mark.parametrize(
    ("method", "path", "code"),
    [
        ("GET", "/api/v1/nothing", 404),
        ("POST", "/nothing", 404),
        ("PUT", EVENT, 405),
        ("DELETE", "/api/v1/namespaces", 405),
        ("GET", "/api/v1/namespaces/nobody", 404),
        ("GET", "/api/v1/namespaces/nobody/jobs", 404),
        ("GET", "/api/v1/namespaces/nobody/datasets/nothing", 404),
        ("GET", "/api/v1/jobs/runs/nobody", 404),
        ("GET", "/api/v1/lineage", 400),
        ("GET", "/api/v1/lineage?nodeId=nonsense", 400),
        ("GET", "/api/v1/lineage?nodeId=job:nobody:nothing", 404),
        ("GET", "/api/v1/lineage?nodeId=job:a:b&depth=-1", 400),
        ("GET", "/api/v1/lineage?nodeId=job:a:b&depth=deep", 400),
        ("GET", "/api/v1/lineage?nodeId=job:a:b&direction=sideways", 400),
        ("GET", "/api/v1/lineage?nodeId=job:orders-pipeline:declared_job&at=once", 400),
        ("GET", "/api/v1/column-lineage?nodeId=datasetField:a:b", 404),
        ("GET", "/api/v1/column-lineage?nodeId=run:a:b", 400),
        ("GET", f"{EVENTS}?limit=-1", 400),
        ("GET", f"{EVENTS}?limit=1000000", 400),
        ("GET", f"{EVENTS}?offset=99999999999999999999999999", 400),
        ("GET", f"{EVENTS}?before=tomorrow", 400),
        ("GET", f"{EVENTS}?sortDirection=up", 400),
    ],
)
def test_wrong_questions_get_the_error_shape(server: Server, method: str, path: str, code: int) -> None:
    server.post(job_event())
    assert_error(server.client.request(method, path), code)


def test_a_bad_parameter_is_named_as_the_client_wrote_it(server: Server) -> None:
    answer = server.get("/api/v1/column-lineage", nodeId="dataset:a:b", withDownstream="maybe")
    assert_error(answer, 400, "withDownstream")
    assert "nodeId" in assert_error(server.get("/api/v1/lineage"), 400)["message"]
