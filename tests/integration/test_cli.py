"""The commands that ask, against a running server: what people read, `--json`, exit codes, pipes."""

import json
import os
import pty
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.samples import recorded
from tests.support.server import HEADWATER, Server, free_port, headwater

ORDERS = "dataset:s3://warehouse:rest/default/orders"
STATS = "dataset:s3://warehouse:rest/default/supplier_stats"
OVERWRITE = "job:demo-ns-rest:supplier_stats_batch.overwrite_by_expression.demo_default_supplier_stats"
FAILED_RUN = "01a1ddeb-2c40-7aeb-b395-690165c27572"

Ask = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def ask(shared_server: Server) -> Ask:
    """Runs a command against a server with the recorded events in it."""
    assert shared_server.post_batch(recorded()).status_code == 204
    return lambda *arguments: headwater(*arguments, env={"HEADWATER_URL": shared_server.url})


def assert_exit(done: "subprocess.CompletedProcess[str]", code: int = 0) -> str:
    """Returns standard output."""
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


# What people read


def test_search_finds_by_name_and_by_sql(ask: Ask) -> None:
    assert STATS in assert_exit(ask("search", "supplier", "stats"))
    assert "sql:" in assert_exit(ask("search", "make_interval"))
    assert "no matches" in assert_exit(ask("search", "zebra"))
    only_jobs = assert_exit(ask("search", "orders", "--kind", "job"))
    assert "job:" in only_jobs
    assert "dataset:" not in only_jobs


def test_show_has_a_card_for_each_kind_of_thing(ask: Ask) -> None:
    dataset = assert_exit(ask("show", STATS))
    assert "total_price" in dataset
    assert "decimal(22,2)" in dataset
    job = assert_exit(ask("show", "failing-job"))
    assert "FAILED" in job
    assert "STREAM" in job
    column = assert_exit(ask("show", f"datasetField:{STATS.partition(':')[2]}:total_price"))
    assert "DIRECT AGGREGATION" in column
    run = assert_exit(ask("show", FAILED_RUN))
    assert "job:trial-flink:failing-job" in run
    assert "FAIL " in run


def test_lineage_is_a_tree_with_states(ask: Ask) -> None:
    tree = assert_exit(ask("lineage", STATS))
    lines = tree.splitlines()
    assert lines[0] == STATS
    assert f"    ├── {OVERWRITE}  COMPLETED" in lines or f"    └── {OVERWRITE}  COMPLETED" in lines
    assert ORDERS in tree
    assert "goes to" not in tree
    assert "goes to" in assert_exit(ask("lineage", ORDERS, "--direction", "downstream"))


def test_lineage_of_columns(ask: Ask) -> None:
    price = f"datasetField:{ORDERS.partition(':')[2]}:price"
    total = f"datasetField:{STATS.partition(':')[2]}:total_price"
    assert total in assert_exit(ask("lineage", price))
    assert price in assert_exit(ask("lineage", STATS, "--columns"))
    downstream = assert_exit(ask("lineage", price, "--direction", "downstream", "--format", "dot"))
    assert f'"{price}" -> "{total}"' in downstream


def test_lineage_of_a_moment_before_everything_is_empty(ask: Ask) -> None:
    assert OVERWRITE in assert_exit(ask("lineage", STATS, "--at", "2026-11-15T07:00Z"))
    assert OVERWRITE not in assert_exit(ask("lineage", STATS, "--at", "2020-01-01"))
    assert OVERWRITE not in assert_exit(ask("lineage", STATS, "--until", "2020-01-01"))


def test_every_format_of_lineage(ask: Ask) -> None:
    graph = json.loads(assert_exit(ask("lineage", STATS, "--format", "json")))["graph"]
    assert {node["id"] for node in graph} >= {STATS, ORDERS, OVERWRITE}
    assert assert_exit(ask("lineage", STATS, "--format", "dot")).startswith("digraph")
    assert assert_exit(ask("lineage", STATS, "--format", "mermaid")).startswith("flowchart")
    assert ET.fromstring(assert_exit(ask("lineage", STATS, "--format", "svg"))).tag.endswith("svg")


def test_runs_are_listed_with_their_states(ask: Ask) -> None:
    text = assert_exit(ask("runs", "failing-job"))
    assert text.splitlines()[1].startswith("FAILED  2026-11-15 06:35:40Z")
    assert FAILED_RUN in text


# Names


def test_a_short_name_is_found_and_others_are_named(ask: Ask) -> None:
    done = ask("show", "orders")
    assert assert_exit(done).splitlines()[0].endswith(":orders")
    assert "using dataset:" in done.stderr
    assert ORDERS in done.stderr
    alone = ask("show", "supplier_stats")
    assert assert_exit(alone).splitlines()[0] == STATS


def test_a_column_is_named_with_a_dot(ask: Ask) -> None:
    total = assert_exit(ask("show", "supplier_stats.total_price"))
    assert total.splitlines()[0] == f"datasetField:{STATS.partition(':')[2]}:total_price"


def test_namespace_and_name_are_enough(ask: Ask) -> None:
    assert assert_exit(ask("show", ORDERS.removeprefix("dataset:"))).splitlines()[0] == ORDERS
    assert assert_exit(ask("show", "trial-flink:failing-job")).splitlines()[0] == "job:trial-flink:failing-job"


def test_any_alias_will_do(ask: Ask) -> None:
    alias = "dataset:http://127.0.0.1:18181:default.supplier_stats"
    assert assert_exit(ask("lineage", alias)).splitlines()[0] == STATS


@pytest.mark.parametrize("command", ["show", "lineage", "impact", "why", "freshness", "runs"])
def test_an_unknown_name_ends_with_4(ask: Ask, command: str) -> None:
    done = ask(command, "zebra")
    assert assert_exit(done, 4) == ""
    assert "zebra" in done.stderr


def test_an_unknown_id_ends_with_4_and_names_what_is_close(ask: Ask) -> None:
    done = ask("show", "job:trial-flink:failing-jobb")
    assert assert_exit(done, 4) == ""
    assert "failing-job" in done.stderr
    assert assert_exit(ask("show", "00000000-0000-0000-0000-000000000000"), 4) == ""


def test_a_question_about_the_wrong_kind_of_thing_says_so(ask: Ask) -> None:
    done = ask("runs", STATS)
    assert assert_exit(done, 1) == ""
    assert "job" in done.stderr


# For programs


@pytest.mark.parametrize(
    "command",
    [
        ("search", "orders"),
        ("show", STATS),
        ("show", FAILED_RUN),
        ("lineage", STATS),
        ("lineage", STATS, "--columns"),
        ("runs", "failing-job"),
        ("impact", ORDERS),
        ("why", STATS),
        ("path", ORDERS, STATS),
        ("diff", "2026-11-15T06:40Z", "2026-11-15T07:00Z"),
        ("freshness", STATS),
        ("gaps", "owner"),
        ("doctor",),
    ],
    ids=lambda command: command[0],
)
def test_json_is_json_and_nothing_else(ask: Ask, command: tuple[str, ...]) -> None:
    assert json.loads(assert_exit(ask(*command, "--json")))


def test_json_is_the_answer_of_the_server(ask: Ask, shared_server: Server) -> None:
    answer = shared_server.get("/api/v1/lineage", nodeId=STATS, direction="upstream", depth=3).text
    assert assert_exit(ask("lineage", STATS, "--direction", "upstream", "--depth", "3", "--json")) == answer + "\n"


@pytest.mark.parametrize(
    "command", [("lineage", STATS), ("show", STATS), ("search", "orders"), ("runs", "failing-job")]
)
def test_a_pipe_gets_no_colours_and_nothing_is_cut(shared_server: Server, ask: Ask, command: tuple[str, ...]) -> None:
    narrow = {"HEADWATER_URL": shared_server.url, "COLUMNS": "20"}
    text = assert_exit(headwater(*command, env=narrow))
    assert text == assert_exit(ask(*command))
    assert "\x1b" not in text
    assert "…" not in text.replace("FR…", "")


def test_a_terminal_gets_colours(ask: Ask, shared_server: Server) -> None:
    main, side = pty.openpty()
    env = {**os.environ, "HEADWATER_URL": shared_server.url, "TERM": "xterm-256color", "COLUMNS": "200"}
    env.pop("NO_COLOR", None)
    process = subprocess.Popen([*HEADWATER, "runs", "failing-job"], stdout=side, stderr=side, env=env)
    os.close(side)
    seen = b""
    try:
        while chunk := os.read(main, 65536):
            seen += chunk
    except OSError:  # how a terminal says that the other side is gone
        pass
    finally:
        os.close(main)
    assert process.wait(30) == 0
    assert b"\x1b[1;31mFAILED" in seen


def test_a_reader_that_has_seen_enough_is_no_error(shared_server: Server, ask: Ask) -> None:
    command = f"{' '.join(HEADWATER)} export events --url {shared_server.url} | head -c 1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "{")
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


# When nothing works


@pytest.mark.parametrize(
    "command", [("show", "orders"), ("lineage", STATS), ("send",), ("tail",), ("export", "events")]
)
def test_a_server_that_is_away_ends_with_5(command: tuple[str, ...]) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    done = headwater(*command, "--url", url)
    assert assert_exit(done, 5) == ""
    assert url in done.stderr


@pytest.mark.parametrize(
    "command", [("show",), ("lineage", STATS, "--depth", "x"), ("lineage", STATS, "--at", "soon"), ("nonsense",)]
)
def test_a_mistake_in_the_command_ends_with_2(command: tuple[str, ...]) -> None:
    assert headwater(*command).returncode == 2


def test_the_server_refuses_and_says_why(ask: Ask) -> None:
    done = ask("lineage", STATS, "--at", "2026-11-15", "--since", "2026-11-14")
    assert assert_exit(done, 1) == ""
    assert "not both" in done.stderr


# Export


def test_events_go_out_and_in_again_elsewhere(ask: Ask, shared_server: Server, tmp_path: Path) -> None:
    exported_file = tmp_path / "events.jsonl"
    assert assert_exit(ask("export", "events", str(exported_file))) == ""
    exported = [json.loads(line) for line in exported_file.read_text().splitlines()]
    assert exported == shared_server.events()
    other = Server(tmp_path / "other")
    try:
        other.start()
        assert f"{len(exported)} events sent" in assert_exit(headwater("send", str(exported_file), "--url", other.url))
        assert other.events() == exported
    finally:
        other.end()


def test_events_of_a_window(ask: Ask) -> None:
    some = assert_exit(ask("export", "events", "--after", "2026-11-15T06:48Z", "--before", "2026-11-15T06:49Z"))
    times = [json.loads(line)["eventTime"] for line in some.splitlines()]
    assert times
    assert all("2026-11-15T06:48" in time for time in times)
    assert times == sorted(times)


@pytest.mark.parametrize(
    ("ending", "start"), [("svg", "<svg"), ("dot", "digraph"), ("mmd", "flowchart"), ("json", "{")]
)
def test_a_graph_goes_to_a_file_in_the_format_of_its_name(ask: Ask, tmp_path: Path, ending: str, start: str) -> None:
    file = tmp_path / f"graph.{ending}"
    assert assert_exit(ask("export", "graph", STATS, "-o", str(file))) == ""
    assert file.read_text().startswith(start)
    assert "supplier_stats" in file.read_text()


def test_the_whole_graph(ask: Ask, shared_server: Server) -> None:
    graph = json.loads(assert_exit(ask("export", "graph")))["graph"]
    jobs = {node["id"] for node in graph if node["type"] == "JOB"}
    assert len(jobs) == shared_server.json("/api/v1/jobs")["totalCount"]
    assert {STATS, ORDERS} <= {node["id"] for node in graph}
    edges = {(edge["origin"], edge["destination"]) for node in graph for edge in node["outEdges"]}
    assert {(ORDERS, OVERWRITE), (OVERWRITE, STATS)} <= edges


def test_a_file_that_cannot_be_written_is_named(ask: Ask, tmp_path: Path) -> None:
    done = ask("export", "events", str(tmp_path / "no" / "such" / "folder.jsonl"))
    assert assert_exit(done, 1) == ""
    assert "folder.jsonl" in done.stderr


# Completion


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_every_command(shell: str) -> None:
    script = assert_exit(headwater("completion", shell))
    for command in ("lineage", "impact", "doctor", "--fail-on"):
        assert command.removeprefix("--") in script


def test_the_bash_script_completes() -> None:
    script = assert_exit(headwater("completion", "bash"))
    typed = "COMP_WORDS=(headwater li); COMP_CWORD=1; COMP_LINE='headwater li'; _headwater; echo ${COMPREPLY[@]}"
    done = subprocess.run(["bash", "-c", f"{script}\n{typed}"], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["lineage"]
