"""`headwater mcp` with the client of the MCP library, over standard input and output and over HTTP."""

import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client, StdioServerParameters
from mcp.types import TextContent

from tests.integration.samples import recorded, run_event
from tests.support.server import HEADWATER, Server, free_port, wait_for

ORDERS = "dataset:s3://warehouse:rest/default/orders"
STATS = "dataset:s3://warehouse:rest/default/supplier_stats"
TOOLS = {"search", "show", "lineage", "column_lineage", "impact", "why", "diff", "path", "freshness"}


@pytest.fixture(scope="module")
def filled_server(shared_server: Server) -> Server:
    assert shared_server.post_batch(recorded()).status_code == 204
    return shared_server


@asynccontextmanager
async def over_stdio(url: str) -> AsyncIterator[Client]:
    program, *arguments = HEADWATER
    parameters = StdioServerParameters(command=program, args=[*arguments, "mcp", "--url", url])
    async with Client(parameters) as client:
        yield client


@pytest.fixture(scope="module")
def http_url(filled_server: Server) -> Iterator[str]:
    port = free_port()
    command = [*HEADWATER, "mcp", "--http", "--port", str(port), "--url", filled_server.url]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            url = f"http://127.0.0.1:{port}/mcp"

            def listens() -> bool:
                assert process.poll() is None
                try:
                    httpx.get(url, trust_env=False)
                except httpx.TransportError:
                    return False
                return True

            wait_for(listens, "the MCP server to listen")
            yield url
        finally:
            process.terminate()


async def assert_answer(client: Client, tool: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    result = await client.call_tool(tool, arguments)
    (content,) = result.content
    assert isinstance(content, TextContent)
    assert not result.is_error, content.text
    assert result.structured_content is not None
    return content.text, result.structured_content


async def assert_refused(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    (content,) = result.content
    assert isinstance(content, TextContent)
    assert result.is_error
    return content.text


async def test_the_tools_say_what_they_are_for(filled_server: Server) -> None:
    async with over_stdio(filled_server.url) as client:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == TOOLS
        for tool in tools:
            assert len(tool.description or "") > 60
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint
            for parameter in tool.input_schema["properties"].values():
                assert parameter["description"]
        assert "search" in (client.instructions or "")


async def test_questions_over_stdio(filled_server: Server) -> None:
    async with over_stdio(filled_server.url) as client:
        text, answer = await assert_answer(client, "search", query="supplier stats")
        assert STATS in text
        assert STATS in {hit["nodeId"] for hit in answer["results"]}
        text, answer = await assert_answer(client, "lineage", name="supplier_stats", direction="upstream")
        assert text.splitlines()[0] == STATS
        assert ORDERS in {node["id"] for node in answer["nodes"]}
        assert {
            "from": ORDERS,
            "to": next(e["to"] for e in answer["edges"] if e["from"] == ORDERS),
            "indirect": False,
        } in (answer["edges"])
        text, answer = await assert_answer(client, "column_lineage", name="supplier_stats.total_price")
        assert f"datasetField:{ORDERS.partition(':')[2]}:price" in text
        text, answer = await assert_answer(client, "show", name=STATS)
        assert "total_price" in text
        assert "facets" not in answer
        text, answer = await assert_answer(client, "show", name="failing-job")
        assert "FAILED" in text
        text, _ = await assert_answer(client, "show", name=answer["latestRuns"][0]["id"])
        assert "job:trial-flink:failing-job" in text


async def test_native_questions_over_http(http_url: str) -> None:
    async with Client(http_url) as client:
        text, answer = await assert_answer(client, "impact", name=ORDERS)
        assert STATS in text
        assert answer["datasets"] >= 1
        text, answer = await assert_answer(client, "why", name=STATS, at="2026-11-15T07:00Z", since="2026-11-15T06:00Z")
        assert answer["nodeId"] == STATS
        text, answer = await assert_answer(client, "diff", since="2026-11-15T06:40Z", until="2026-11-15T07:00Z")
        assert STATS in {node["nodeId"] for node in answer["nodes"]["added"]}
        assert f"+ {STATS}" in text
        text, answer = await assert_answer(client, "path", origin=ORDERS, destination=STATS)
        assert {ORDERS, STATS} <= {node["id"] for node in answer["nodes"]}
        text, answer = await assert_answer(client, "freshness", dataset=STATS)
        assert "overwrite_by_expression" in text


async def test_an_ambiguous_name_names_the_others(filled_server: Server) -> None:
    async with over_stdio(filled_server.url) as client:
        text, _ = await assert_answer(client, "show", name="orders")
        assert "also matches" in text


async def test_large_answers_are_cut_with_their_size(filled_server: Server) -> None:
    hub = ("big://lake", "hub")
    fan = [run_event(n, job=f"fan_{n}", source=hub, target=("big://lake", f"out_{n}")) for n in range(150)]
    assert filled_server.post_batch(fan).status_code == 204
    async with over_stdio(filled_server.url) as client:
        text, answer = await assert_answer(client, "lineage", name="dataset:big://lake:hub", limit=40)
        assert "the nearest 40 of 301 shown" in text
        assert (len(answer["nodes"]), answer["total"]) == (40, 301)
        text, answer = await assert_answer(client, "impact", name="dataset:big://lake:hub", limit=40)
        assert "showing the nearest 40 jobs and datasets; use a larger limit for more" in text
        assert sum(len(level["nodes"]) for level in answer["levels"]) == 40


async def test_errors_tell_the_assistant_what_to_correct(filled_server: Server) -> None:
    async with over_stdio(filled_server.url) as client:
        assert "zebra" in await assert_refused(client, "lineage", name="zebra")
        assert "failing-job" in await assert_refused(client, "show", name="job:trial-flink:failing-jobb")
        assert "how long ago" in await assert_refused(client, "diff", since="last tuesday")
        assert "limit" in await assert_refused(client, "search", query="x", limit=100_000)
        text, _ = await assert_answer(client, "search", query="supplier")
        assert text


async def test_a_server_that_is_away_is_an_error() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    async with over_stdio(url) as client:
        assert url in await assert_refused(client, "search", query="x")


def test_without_the_library_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "mcp.py").write_text("raise ModuleNotFoundError('No module named mcp', name='mcp')")
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}  # which counts only when Python starts
    done = subprocess.run([*HEADWATER, "mcp"], env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "headwater[mcp]" in done.stderr
    assert "Traceback" not in done.stderr


def test_nothing_but_the_protocol_goes_to_standard_output(filled_server: Server) -> None:
    done = subprocess.run(
        [*HEADWATER, "mcp", "--url", filled_server.url], input=b"", capture_output=True, timeout=30, check=False
    )
    assert (done.returncode, done.stdout) == (0, b""), done.stderr
