"""The OpenAPI document: complete, and good to generate types from."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis

from headwater.api.app import document
from headwater.shapes.common import NodeRef
from headwater.shapes.marquez import Run

Json = dict[str, Any]

DOCUMENT = document()
SCHEMAS: dict[str, Json] = DOCUMENT["components"]["schemas"]
OPERATIONS: dict[str, Json] = {
    f"{method.upper()} {path}": operation
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
}


def operation(name: str) -> Json:
    return OPERATIONS[name.replace(" /", " /api/v1/")]


def references(part: Any) -> Iterator[str]:
    if isinstance(part, list):
        for item in part:
            yield from references(item)
    elif isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        for item in part.values():
            yield from references(item)


def test_it_is_an_openapi_document() -> None:
    schemathesis.openapi.from_dict(DOCUMENT).validate()
    assert DOCUMENT["openapi"].startswith("3.1")
    assert len(OPERATIONS) > 50


def test_it_is_the_same_each_time() -> None:
    assert json.dumps(document()) == json.dumps(DOCUMENT)


def test_everything_that_is_referred_to_is_there_and_the_other_way_round() -> None:
    referred = set(references(DOCUMENT))
    there = {f"#/components/{kind}/{name}" for kind, named in DOCUMENT["components"].items() for name in named}
    assert referred <= there
    # The data of server-sent events can be named only in words.
    words = {name.rpartition("/")[2] for name in there - referred}
    assert words == {"LiveChange", "LiveHello", "LiveResync"}


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_says_what_it_is_and_how_it_can_fail(name: str) -> None:
    operation = OPERATIONS[name]
    assert operation["summary"]
    assert re.fullmatch("[a-z]+[A-Za-z0-9]+", operation["operationId"])
    assert all(parameter["description"] for parameter in operation["parameters"])
    failures = {code: answer for code, answer in operation["responses"].items() if code >= "400"}
    assert "400" in failures
    for code, answer in failures.items():
        if name != "GET /healthz" or code != "503":
            at = answer["$ref"].rpartition("/")[2]
            response = DOCUMENT["components"]["responses"][at]
            assert response["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/ErrorBody"}


def test_operations_are_named_after_their_paths_and_each_has_its_own_name() -> None:
    names = [operation["operationId"] for operation in OPERATIONS.values()]
    assert len(set(names)) == len(names)
    for name, expected in {
        "GET /lineage": "getLineage",
        "POST /lineage": "postLineage",
        "GET /column-lineage": "getColumnLineage",
        "GET /jobs": "getJobs",
        "GET /namespaces/{namespace}/jobs": "getNamespaceJobs",
        "GET /namespaces/{namespace}/jobs/{name}": "getNamespaceJob",
        "DELETE /namespaces/{namespace}/datasets/{name}/fields/{field}/tags/{tag}": "deleteNamespaceDatasetFieldTag",
        "POST /jobs/runs/{run_id}/start": "postJobsRunStart",
    }.items():
        assert operation(name)["operationId"] == expected


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("GET /lineage", "200 400 404 503 504"),
        ("GET /namespaces", "200 400 503 504"),
        ("GET /live", "200 400 404 504"),
        ("PUT /tags/{tag}", "200 400 413 503 504"),
        ("PUT /namespaces/{namespace}/jobs/{name}", "200 400 404 413 503 504"),
        ("DELETE /namespaces/{namespace}", "200 400 404 503 504"),
        ("POST /namespaces/{namespace}/jobs/{name}/runs", "201 400 404 413 503 504"),
        ("POST /lineage", "201 400 413 422 503"),
        ("GET /connect/clusters/{cluster}/connectors/{name}", "200 400 404 502 503 504"),
        ("PUT /connect/clusters/{cluster}/connectors/{name}/pause", "200 400 403 404 409 502 503 504"),
        ("POST /lineage/batch", "200 204 400 413 422 503"),
    ],
)
def test_answers_by_what_an_operation_does(name: str, codes: str) -> None:
    assert sorted(operation(name)["responses"]) == codes.split()


def test_writing_says_where_in_the_log_it_stands_and_reading_can_wait_for_that() -> None:
    for name, operation in OPERATIONS.items():
        good = [answer for code, answer in operation["responses"].items() if code < "400"]
        waits = any(parameter["name"] == "Headwater-Position" for parameter in operation["parameters"])
        is_read = name.startswith("GET") or name.endswith("/validate")
        assert waits == (name.startswith("GET") and operation["operationId"] != "getLive")
        assert all(("Headwater-Position" in answer.get("headers", {})) != is_read for answer in good)


def test_parameters_have_their_bounds() -> None:
    parameters = {parameter["name"]: parameter for parameter in operation("GET /impact")["parameters"]}
    assert parameters["limit"]["schema"] == {"type": "integer", "minimum": 0, "maximum": 100_000, "default": 10_000}
    assert re.search(parameters["nodeId"]["schema"]["pattern"], "datasetField:a\n:b:c")
    assert not re.search(parameters["nodeId"]["schema"]["pattern"], "run:a:b")
    assert parameters["at"]["schema"] == {"type": "string", "format": "date-time"}
    for each in OPERATIONS.values():
        assert not any("oneOf" in parameter["schema"] for parameter in each["parameters"]), "null in an address?"


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_have_clean_names_and_no_defaults(name: str) -> None:
    assert re.fullmatch("[A-Z][A-Za-z]+", name)
    assert not any("default" in schema for schema in SCHEMAS[name].get("properties", {}).values())


def test_all_fields_of_an_answer_are_there() -> None:
    for shape in (Run, NodeRef):
        assert SCHEMAS[shape.__name__]["required"] == list(shape.__struct_fields__)
    assert SCHEMAS["Run"]["properties"]["startedAt"] == {
        "anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]
    }
    assert SCHEMAS["Run"]["properties"]["facets"] == {"$ref": "#/components/schemas/Facets"}
    # But of evidence only what there is.
    assert not SCHEMAS["Evidence"]["required"]


def test_bodies_forbid_what_is_not_known_and_need_what_they_need() -> None:
    body = SCHEMAS["DatasetBody"]
    assert (body["additionalProperties"], body["required"]) == (False, ["type", "physicalName", "sourceName"])


def test_the_data_of_a_node_is_that_of_a_dataset_job_or_column() -> None:
    assert [*references(SCHEMAS["GraphNode"]["properties"]["data"])] == [
        f"#/components/schemas/{name}" for name in ("DatasetData", "JobData", "ColumnData")
    ]
