"""The OpenAPI document is true: whatever one asks by it, or against it, is answered as it says."""

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import strategies as st

from headwater.api.app import document
from headwater.api.position import LAST_POSITION
from headwater.api.routes.live import LIVE_PATH
from tests.integration.samples import recorded
from tests.support.examples import TIMES
from tests.support.make import columns, dataset, facet, run, schema
from tests.support.server import Server, differences

API = "/api/v1"

_LONG = TIMES > 1
_EXAMPLES = 15 * TIMES

# Jobs and datasets have the same names, so that any namespace and name that are drawn exist.
_SPACE, _NAMES, _FIELDS, _TAGS, _RUNS = "shop", ["orders", "clean", "a/b: ü"], ["id", "price"], ["PII"], ["r1", "r2"]
_VERSION = "1.0"
_DELETED = [f"old {number}" for number in range(10)]
_COUNTED = ["LineageEvents", "Jobs", "Datasets", "Sources"]
_NODES = [f"{kind}:{_SPACE}:{name}" for kind in ("job", "dataset") for name in _NAMES]
_COLUMNS = [f"datasetField:{_SPACE}:clean:{field}" for field in _FIELDS]


def _off(*names: str) -> dict[str, Any]:
    return {name: {"enabled": False} for name in names}


def _drawn_from(dictionary: str, *parameters: str) -> dict[str, Any]:
    return {parameter: {"dictionary": dictionary, "probability": 0.8} for parameter in parameters}


_DATASET = {**_drawn_from("namespaces", "namespace"), **_drawn_from("names", "name")}


def _but(operations: list[str], *names: str) -> list[dict[str, Any]]:
    return [{"include-operation-id": operation, "checks": _off(*names)} for operation in operations]


def config() -> schemathesis.Config:
    known = {
        "namespaces": [_SPACE],
        "names": _NAMES,
        "fields": _FIELDS,
        "tags": _TAGS,
        "versions": [_VERSION],
        "runs": _RUNS,
        "nodes": [*_NODES, *_COLUMNS, "run:r1"],
        "words": ["orders", "ord", "PII"],
        "zones": ["UTC", "Asia/Kathmandu"],
        "deleted": _DELETED,
    }
    return schemathesis.Config.from_dict(
        {
            "generation": {"max-examples": _EXAMPLES, "deterministic": not _LONG, "database": "none"},
            "suppress-health-check": ["all"],
            "phases": {"stateful": {"enabled": False}},
            "dictionaries": {name: {"values": values} for name, values in known.items()},
            "parameters": {
                **_drawn_from("namespaces", "namespace", "path.source", "body.sourceName"),
                **_drawn_from("names", "path.name"),
                **_drawn_from("fields", "path.field", "body.fields[*].name"),
                **_drawn_from("tags", "path.tag"),
                **_drawn_from("versions", "version"),
                **_drawn_from("runs", "run_id", "runId", "body.runId"),
                **{f"body.{way}[*].{part}": drawn for way in ("inputs", "outputs") for part, drawn in _DATASET.items()},
                **_drawn_from("nodes", "nodeId", "from", "to"),
                **_drawn_from("words", "q"),
                **_drawn_from("zones", "timezone"),
            },
            "checks": _off(
                "ignored_auth",  # nobody has to say who they are
                "object_level_authorization",  # the same
                "use_after_free",  # looks at sequences of requests, which test_catalogue.py does
                "ensure_resource_availability",  # the same
            ),
            "operations": [
                # Parameters that forbid or need each other, which OpenAPI cannot say: `at` and a window,
                # a window that begins before it ends, and a time zone that exists, for a week at least.
                *_but(["getLineage", "getColumnLineage", "getWhy"], "positive_data_acceptance"),
                *_but([f"getStats{of}" for of in _COUNTED], "positive_data_acceptance"),
                # A run that is there already is refused.
                *_but(["postNamespaceJobRuns"], "positive_data_acceptance"),
                # A batch is answered with what is wrong with its events, and the others are in.
                *_but(["postLineageBatch"], "negative_data_rejection"),
                # Others go on with what is not deleted.
                {"include-operation-id": "deleteNamespace", "parameters": _drawn_from("deleted", "namespace")},
                {"include-operation-id": "deleteNamespaceDataset", "parameters": _drawn_from("deleted", "path.name")},
                {"include-operation-id": "deleteNamespaceJob", "parameters": _drawn_from("deleted", "path.name")},
            ],
        }
    )


@pytest.fixture(scope="module")
def fuzzed_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    # A position that is never reached is waited for.
    server = Server(tmp_path_factory.mktemp("fuzzed") / "data", env={"HEADWATER_POSITION_SECONDS": "0.01"}).start()
    try:
        fill(server)
        yield server
    finally:
        server.end()


def fill(server: Server) -> None:
    """The recorded events, a namespace in which any name exists, what can be deleted, and some edits."""
    fields = {**schema("id:INT", "price"), **columns(id=["orders.id"]), "version": facet(datasetVersion=_VERSION)}
    names = [(_SPACE, name) for name in _NAMES]
    events = [
        run("COMPLETE", names[0], 0, "r1", [dataset(names[2], fields)], [dataset(names[0], fields)]),
        run("COMPLETE", names[1], 1, "r2", [dataset(names[0], fields)], [dataset(names[1], fields)]),
        run("FAIL", names[2], 2, "r3", [dataset(names[1])], [dataset((_SPACE, "end"), fields)]),
        *(run("START", (_SPACE, old), 3, old, [(old, "all")], [dataset((_SPACE, old), fields)]) for old in _DELETED),
    ]
    assert server.post_batch([*recorded(), *events]).status_code == 204
    tag = f"{API}/namespaces/{_SPACE}/datasets/orders/fields/id/tags/PII"
    for method, path, body in (
        ("PUT", f"{API}/sources/{_SPACE}", {"type": "KAFKA", "connectionUrl": "kafka://broker:9092"}),
        ("PUT", f"{API}/tags/PII", {"description": "personal"}),
        ("POST", tag, None),
        ("POST", f"{API}/namespaces/{_SPACE}/jobs/orders/tags/PII", None),
        ("DELETE", f"{API}/namespaces/{_SPACE}/jobs/{_DELETED[0]}", None),
    ):
        assert server.client.request(method, path, json=body).status_code == 200, path


@pytest.fixture(scope="module")
def session() -> Iterator[requests.Session]:
    with requests.Session() as session:
        session.trust_env = False
        yield session


# Of the years 1 and 9999, which in UTC may not be in the calendar, each question would refuse some moments.
_ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
_MOMENTS = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=_ZONES)
schemathesis.openapi.format("date-time", _MOMENTS.map(datetime.isoformat))

api = schemathesis.openapi.from_dict(document(), config=config())


@pytest.mark.timeout(3600 if _LONG else 300)
@api.exclude(path=LIVE_PATH).parametrize()
def test_an_operation_does_what_the_document_says(
    case: schemathesis.Case[Any], fuzzed_server: Server, session: requests.Session
) -> None:
    position = case.headers.get("Headwater-Position")
    if isinstance(position, str) and position.isdigit() and int(position) <= LAST_POSITION:
        case.headers["Headwater-Position"] = "1"  # one that is not reached is a 503, which would look like a failure
    case.call_and_validate(base_url=fuzzed_server.url, session=session)


def test_the_server_is_the_same_after_all_that_and_after_a_restart(fuzzed_server: Server) -> None:
    assert fuzzed_server.json("/healthz")["status"] == "ok"
    assert "Traceback" not in fuzzed_server.output()
    before = fuzzed_server.answers()
    assert not differences(before, fuzzed_server.restart().answers())
