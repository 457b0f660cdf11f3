"""Requests as nobody should send them: the right answer, or a 4xx in the one error shape."""

import http.client
import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from headwater.api.app import document
from headwater.api.routes.live import LIVE_PATH
from tests.support.make import dataset, run, schema
from tests.support.server import PATIENCE, Server, assert_error, path_of

API = "/api/v1"
PATHS: dict[str, dict[str, Any]] = document()["paths"]


@pytest.fixture(scope="module")
def orders(shared_server: Server) -> Server:
    assert shared_server.post_batch([run("COMPLETE", job, 0, f"run of {job}") for job in ODD_NAMES]).status_code == 204
    loaded = run("COMPLETE", "load", 0, "r1", ["raw"], [dataset("clean", schema("id:INT"))])
    assert shared_server.post(loaded).status_code == 201
    return shared_server


def ask(
    server: Server,
    target: str,
    method: str = "GET",
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
) -> httpx.Response:
    """By a client that sends the target as it is."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    try:
        connection.request(method, target, body, headers or {})
        answer = connection.getresponse()
        return httpx.Response(answer.status, headers=answer.getheaders(), content=answer.read())
    finally:
        connection.close()


# Names in paths

# Each as the job of its run.
ODD_NAMES = ["orders", "50%", "%2F", "a/b", "/", "a:b", "a b", "a+b", "🦆", "ü", "\0", "?", "#", "..", "line\nbreak"]


@pytest.mark.parametrize(
    ("encoded", "name"),
    [
        *((quote(name, safe="").replace(".", "%2E"), name) for name in ODD_NAMES),
        ("%6frders", "orders"),  # needlessly, and in lower case
        ("50%", "50%"),  # a percent sign that begins nothing
        ("%252F", "%2F"),  # decoded once, not twice
        ("a%2fb", "a/b"),
        ("a:b", "a:b"),
        ("a+b", "a+b"),  # a plus is a space only behind a question mark
        ("%C3%BC", "ü"),
    ],
)
def test_a_name_is_found_by_every_encoding_of_it(orders: Server, encoded: str, name: str) -> None:
    assert ask(orders, f"{API}/namespaces/jobs/jobs/{encoded}").json()["name"] == name


@pytest.mark.parametrize("text", ["%FF", "%C0%AF", "%ED%A0%80", "%E2%82", "ok%80", "%F5%80%80%80"])
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_a_path_that_is_no_text_is_refused(orders: Server, method: str, text: str) -> None:
    """Overlong, half a character, half a surrogate pair: nothing may be made or deleted by such a name."""
    for path in (f"{API}/namespaces/{text}", f"{API}/namespaces/jobs/jobs/{text}"):
        body = b'{"ownerName": "me"}' if method == "PUT" else None
        assert "UTF-8" in assert_error(ask(orders, path, method, body), 400)["message"]


@pytest.mark.parametrize(
    "path",
    [
        "namespaces/jobs/jobs/%00%00",
        "namespaces/jobs/jobs/%252E",
        "namespaces/jobs/jobs/ORDERS",
        "namespaces/jobs/jobs/orders%20",
        "namespaces/jobs%2Fjobs/orders",
        "namespaces//jobs/orders",
        "namespaces/jobs/jobs//runs",
        "namespaces/%F0%9F%A6%86/datasets",
        "sources/nothing",
        "jobs/runs/%00",
        "namespaces/jobs/jobs/orders/versions/no-uuid",
        "namespaces/jobs/jobs/orders/versions/%00",
    ],
)
def test_what_is_not_there_is_not_found(orders: Server, path: str) -> None:
    assert_error(ask(orders, f"{API}/{path}"), 404)


# Very long names


def test_a_long_name_is_not_repeated_in_full(orders: Server) -> None:
    name = "n" * 50_000
    for question in (f"namespaces/{name}", f"lineage?nodeId=job:jobs:{name}", f"lineage?nodeId={name}"):
        answer = ask(orders, f"{API}/{question}")
        assert len(assert_error(answer, answer.status_code)["message"]) < 3000


def test_a_target_that_is_too_long_is_refused_before_anything_is_read(orders: Server) -> None:
    """By the HTTP server, which knows of no body."""
    assert ask(orders, f"{API}/namespaces/{'n' * 100_000}").status_code == 414


def test_a_name_too_long_for_a_path_can_be_sent_and_listed(orders: Server) -> None:
    name = "n" * 100_000
    assert orders.post(run("COMPLETE", ("long", name), 0, "long", [("long", name)])).status_code == 201
    assert [job["name"] for job in orders.json(f"{API}/namespaces/long/jobs")["jobs"]] == [name]
    assert [d["name"] for d in orders.json(f"{API}/namespaces/long/datasets")["datasets"]] == [name]
    assert orders.json(f"{API}/jobs/runs/long")["job"]["name"] == name


# Node ids

_ABOUT_NODES = ["lineage", "column-lineage", "impact", "why", "freshness", "diff?from=2026-11-15T00:00:00Z", "live"]


@pytest.mark.parametrize("question", _ABOUT_NODES)
@pytest.mark.parametrize(
    "node_id",
    ["", ":", "::", "job", "job:", "job:orders", "JOB:jobs:orders", " job:jobs:orders", "datasetVersion:a:b", "run:",
     "table:a:b", "%00", "%FF", "🦆", "job%00:a:b", "job;a;b", "null", "[]", '{"a":1}', "%25%32%46"],
)  # fmt: skip
def test_what_is_no_node_id_is_refused(orders: Server, question: str, node_id: str) -> None:
    joint = "&" if "?" in question else "?"
    assert_error(ask(orders, f"{API}/{question}{joint}nodeId={quote(node_id, safe='%')}"), 400)


@pytest.mark.parametrize("question", _ABOUT_NODES)
@pytest.mark.parametrize(
    "node_id", ["dataset::", "dataset:::", "dataset:db:", "dataset::clean", "dataset:db:%FF", "dataset:%00:%00"]
)
def test_an_unknown_node_is_not_found(orders: Server, question: str, node_id: str) -> None:
    joint = "&" if "?" in question else "?"
    assert_error(ask(orders, f"{API}/{question}{joint}nodeId={node_id}"), 404)


# Numbers


def numbers() -> Iterator[tuple[str, str, int]]:
    """Every question that takes a number: its target without it, the parameter, and the most it can be."""
    given = {
        "nodeId": "dataset:db:clean",
        "runId": "r1",
        "from": "2026-11-15T00:00:00Z",
        "kind": "jobsWithoutOwner",
        "q": "clean",
    }
    for path, operations in PATHS.items():
        parameters = operations.get("get", {}).get("parameters", ())
        known = {"namespace": "db", "name": "clean" if "datasets" in path else "load"}
        if "{name}" in path and "jobs" in path:
            known["namespace"] = "jobs"
        needed = [
            f"{p['name']}={quote(given.get(p['name'], ''))}" for p in parameters if p["in"] == "query" and p["required"]
        ]
        for parameter in parameters:
            if parameter["in"] == "query" and parameter["schema"].get("type") == "integer" and path != LIVE_PATH:
                yield "&".join([path.format(**known) + "?", *needed]), parameter["name"], parameter["schema"]["maximum"]


_NUMBERS = list(numbers())


def test_numbers_are_taken_by_many_questions() -> None:
    assert {name for _, name, _ in _NUMBERS} == {"limit", "offset", "depth"}
    assert len(_NUMBERS) > 25


@pytest.mark.parametrize(("target", "name", "most"), _NUMBERS)
def test_numbers_out_of_bounds_are_refused_by_name(orders: Server, target: str, name: str, most: int) -> None:
    wrong = [
        "-1",
        str(most + 1),
        "9" * 30,
        "1.5",
        "",
        "one",
        "0x10",
        "1_000",
        "NaN",
        "-Infinity",
        "1e400",
        "true",
        "%00",
        "%FF",
    ]
    for text in wrong:
        assert_error(ask(orders, f"{target}&{name}={text}"), 400, name)


@pytest.mark.parametrize(("target", "name", "most"), _NUMBERS)
def test_the_largest_and_the_smallest_numbers_are_fine(orders: Server, target: str, name: str, most: int) -> None:
    for number in (0, most):
        answer = ask(orders, f"{target}&{name}={number}")
        assert answer.status_code == 200, answer.text


# Parameters


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("jobs?limit=1&limit=2", 200),
        ("jobs?limit=1&limit=-1", 400),
        ("jobs?unknown=1&%FF=%FF&=&&&", 200),
        ("jobs?lastRunStates=COMPLETED&lastRunStates=failed", 200),
        ("jobs?lastRunStates=", 400),
        ("jobs?lastRunStates=COMPLETED,FAILED", 400),
        ("lineage?nodeId=job:jobs:load&nodeId=dataset:db:clean", 200),
        ("lineage?nodeId=job:jobs:load&at=2026-11-15T00:00:00%2B01:00", 200),
        ("lineage?nodeId=job:jobs:load&at=2026-11-15T00:00:00+01:00", 200),
        ("lineage?nodeId=job:jobs:load&at=", 400),
        ("lineage?nodeId=job:jobs:load&at=0000-01-01T00:00:00Z", 400),
        ("lineage?nodeId=job:jobs:load&at=9999-12-31T23:59:59-14:00", 400),
        ("lineage?nodeId=job:jobs:load&at=2026-02-30T00:00:00Z", 400),
        ("lineage?nodeId=job:jobs:load&at=2026-11-15T23:59:60Z", 400),
        ("lineage?nodeId=job:jobs:load&at=1763164800", 400),
        ("lineage?nodeid=job:jobs:load", 400),
        ("search?q=%20", 400),
        ("search?q=%00", 200),
        ("search?q=" + "w" * 20_000, 200),
        ("search?q=" + "w%20" * 5_000, 200),
        ("search?q=clean&filter=COLUMN", 400),
        ("search?q=clean&sort=", 400),
        ("jobs/runs/r1/facets?type=dataset", 400),
        ("stats/jobs?period=DAY&timezone=../../etc/passwd", 400),
        ("stats/jobs", 400),
    ],
)
def test_odd_parameters(orders: Server, question: str, code: int) -> None:
    answer = ask(orders, f"{API}/{question}")
    if code == 200:
        assert answer.status_code == 200, answer.text
    else:
        assert_error(answer, code)


@pytest.mark.parametrize("position", ["-1", "1.0", "", "one", "١", "9" * 19, "1, 2"])
def test_what_is_no_position_is_refused(orders: Server, position: str) -> None:
    answer = orders.client.get(f"{API}/jobs", headers={b"Headwater-Position": position.encode()})
    assert_error(answer, 400)


def test_of_a_parameter_that_is_given_twice_the_last_counts(orders: Server) -> None:
    assert len(ask(orders, f"{API}/namespaces?limit=1&limit=2").json()["namespaces"]) == 2


# Methods and paths


def methods_of(path: str) -> set[str]:
    return {"OPTIONS", *(method.upper() for method in PATHS[path])}


@pytest.mark.parametrize("path", PATHS)
def test_a_path_says_which_methods_it_has(orders: Server, path: str) -> None:
    target = path.replace("{", "%7B").replace("}", "%7D")
    for method in sorted({"PATCH", "TRACE", "BREW", "DELETE", "PUT", "POST", "GET"} - methods_of(path)):
        answer = ask(orders, target, method)
        assert_error(answer, 405)
        assert {each.strip() for each in answer.headers["allow"].split(",")} == methods_of(path)
    answer = ask(orders, target, "OPTIONS")
    assert (answer.status_code, answer.content) == (204, b"")
    assert {each.strip() for each in answer.headers["allow"].split(",")} == methods_of(path)


@pytest.mark.parametrize(
    "path", ["/healthz", "/metrics", f"{API}/jobs", f"{API}/jobs?limit=x", f"{API}/nothing", "/schema/openapi.json"]
)
def test_head_is_get_without_the_body(orders: Server, path: str) -> None:
    whole, head = ask(orders, path), ask(orders, path, "HEAD")
    assert (head.status_code, head.headers["content-type"]) == (whole.status_code, whole.headers["content-type"])
    assert head.content == b""


def test_nobody_waits_for_the_head_of_a_stream(orders: Server) -> None:
    assert ask(orders, LIVE_PATH, "HEAD").status_code == 405


@pytest.mark.parametrize(
    "path",
    ["/api", "/api/v1", "/api/v1/", "/api/v2/jobs", "/API/V1/JOBS", "/favicon.ico", "/schema/a/b",
     "//healthz", "/healthz/more", "/api/v1/lineage/batch/more", "/api/v1/jobs%2Fruns%2Fr1", "/api/v1/../v1/jobs",
     "/api/v1/./jobs", "/%2E%2E/etc/passwd", "/api/v1/namespaces/db/tables", "/%00", "/" + "a/" * 5000],
)  # fmt: skip
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_where_there_is_nothing_it_says_so(orders: Server, method: str, path: str) -> None:
    assert "/schema/openapi.json" in assert_error(ask(orders, path, method), 404)["message"]


def test_below_the_schema_there_is_no_page_either(orders: Server) -> None:
    assert_error(ask(orders, "/schema/nothing"), 404)
    assert ask(orders, "/schema").json() == ask(orders, "/schema/openapi.json").json() == document()


@pytest.mark.parametrize(
    ("path", "body", "code"), [("lineage/", b"{}", 422), ("lineage/batch/", b"[]", 204), ("%6Cineage", b"{}", 422)]
)
def test_other_spellings_of_the_ingest_path_work(orders: Server, path: str, body: bytes, code: int) -> None:
    assert ask(orders, f"{API}/{path}", "POST", body).status_code == code


def test_an_event_by_another_spelling_is_taken_in(orders: Server) -> None:
    event = json.dumps(run("COMPLETE", "spelled", 0, "spelled")).encode()
    answer = ask(orders, f"{API}/lineage/", "POST", event)
    assert (answer.status_code, answer.content) == (201, b"")
    assert (
        orders.json(
            f"{API}/jobs/runs/spelled",
        )["state"]
        == "COMPLETED"
    )
    assert int(answer.headers["headwater-position"]) > 0


# Bodies

_CONTENT_TYPES = [None, "text/plain", "application/xml", "application/x-www-form-urlencoded", "multipart/form-data"]
_CONTENT_TYPES += ["application/x-msgpack", "application/json; charset=latin-1", "no type", "/", ";;", "a/b;;=;"]


@pytest.mark.parametrize("content_type", _CONTENT_TYPES)
def test_a_body_is_json_whatever_its_content_type(orders: Server, content_type: str | None) -> None:
    headers = {"content-type": content_type} if content_type else {}
    path = f"{API}/namespaces/typed"
    answer = ask(orders, path, "PUT", b'{"ownerName": "me"}', headers)
    assert answer.status_code == 200, answer.text
    assert_error(ask(orders, path, "PUT", b"ownerName=me", headers), 400)
    event = json.dumps(run("COMPLETE", "typed", 0, f"typed {content_type}")).encode()
    assert ask(orders, f"{API}/lineage", "POST", event, headers).status_code == 201


@pytest.mark.parametrize(
    "body",
    [b"", b" ", b"null", b"[]", b'"text"', b"1", b"{", b"{}{}", b"\xff", b'{"ownerName": "\xff"}',
     b'{"ownerName": NaN}',
     b'\xef\xbb\xbf{"ownerName": "me"}', b'{"ownerName": "\\ud800"}', b'{"ownerName": ""}', b'{"ownerName": 1}',
     b'{"ownerName": "me", "owner": "me"}', b'{"ownerName": "me", "description": []}', b"[" * 100_000],
    ids=itertools.count(),
)  # fmt: skip
def test_a_body_that_makes_no_sense_is_refused(orders: Server, body: bytes) -> None:
    assert_error(ask(orders, f"{API}/namespaces/senseless", "PUT", body), 400)
    assert_error(ask(orders, f"{API}/namespaces/senseless"), 404)


def test_a_body_that_is_too_large_is_refused(orders: Server) -> None:
    body = json.dumps({"ownerName": "me", "description": "x" * (40 << 20)}).encode()
    assert_error(ask(orders, f"{API}/namespaces/large", "PUT", body), 413)
    assert_error(ask(orders, f"{API}/namespaces/large"), 404)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_body_where_none_belongs_is_not_looked_at(orders: Server, method: str) -> None:
    path = path_of("jobs", "jobs", f"body of {method}")
    assert orders.post(run("COMPLETE", f"body of {method}", 0, f"body of {method}")).status_code == 201
    assert ask(orders, path, method, b"\xff{{{" * 1000).status_code == 200
