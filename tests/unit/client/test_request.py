"""Requests and answers, without a server."""

import subprocess
import sys
from datetime import datetime

import httpx
import pytest

from headwater.client import catalogue, queries
from headwater.client.request import Answer, Request, answer_of
from headwater.errors import NotFound, Problem, Refused, ServerFailed
from headwater.shapes.marquez import Health


def reply(status: int, content: bytes, **headers: str) -> httpx.Response:
    return httpx.Response(status, content=content, headers=headers, request=httpx.Request("GET", "http://x/y"))


REQUEST = Request("GET", "/y", Health)


def test_names_are_one_segment_whatever_is_in_them() -> None:
    request = catalogue.job("s3://a b/..", "x/y?z#%.")
    assert request.path == "/api/v1/namespaces/s3%3A%2F%2Fa%20b%2F%2E%2E/jobs/x%2Fy%3Fz%23%25%2E"


def test_parameters_without_a_value_are_left_out() -> None:
    assert queries.impact("job:a:b").params == {"nodeId": "job:a:b"}
    assert queries.lineage("job:a:b", at=datetime(2026, 11, 10)).params["at"] == "2026-11-10T00:00:00+00:00"
    assert queries.column_lineage("job:a:b").params["withDownstream"] == "false"


def test_questions_know_what_was_written_before_and_changes_need_not() -> None:
    assert REQUEST.arguments(7)["headers"] == {"Headwater-Position": "7"}
    assert REQUEST.arguments(None)["headers"] == {}
    assert "Headwater-Position" not in catalogue.delete_job("a", "b").arguments(7)["headers"]


def test_errors_are_told_apart() -> None:
    body = b'{"code": %d, "message": "no such thing", "errors": [{"path": "nodeId", "message": "is odd"}]}'
    with pytest.raises(NotFound, match="no such thing"):
        answer_of(REQUEST, reply(404, body % 404))
    with pytest.raises(Refused) as refused:
        answer_of(REQUEST, reply(422, body % 422))
    assert (refused.value.status, refused.value.problems) == (422, (Problem("nodeId", "is odd"),))
    with pytest.raises(ServerFailed) as failed:
        answer_of(REQUEST, reply(503, body % 503, **{"Retry-After": "5"}))
    assert (failed.value.status, failed.value.retry_after) == (503, 5.0)


def test_a_server_that_does_not_know_the_question_is_older() -> None:
    with pytest.raises(ServerFailed, match="the server has no /y"):
        answer_of(REQUEST, reply(404, b'{"code": 404, "message": "Not Found", "errors": []}'))


@pytest.mark.parametrize("status", [404, 502])
def test_the_response_of_another_server_is_shown(status: int) -> None:
    with pytest.raises(ServerFailed, match=f"answered {status}: <html>bad gateway"):
        answer_of(REQUEST, reply(status, b"<html>bad gateway</html>"))


def test_an_unreadable_answer_is_an_error() -> None:
    with pytest.raises(ServerFailed, match="Is this a Headwater server"):
        _ = answer_of(REQUEST, reply(200, b"<html>hello</html>")).value
    assert Answer(b"", httpx.Headers({"Headwater-Position": "x"}), Health).position is None


def test_importing_headwater_alone_imports_nothing_else() -> None:
    code = "import sys, headwater; sys.exit(any(m in sys.modules for m in ('httpx', 'msgspec', 'litestar', 'rich')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_client_does_without_the_server() -> None:
    code = "import sys, headwater; headwater.Client; sys.exit(any(m in sys.modules for m in ('litestar', 'granian')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
