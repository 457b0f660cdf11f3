"""`headwater serve` as a process: start, stop, locks, ports, restarts and rebuilds."""

import os
import signal
import socket
import time
from pathlib import Path

import pytest

from headwater import __version__ as headwater_version
from tests.integration.samples import recorded, run_event
from tests.support.server import MakeServer, Server, differences, free_port, headwater, rebuild, wait_for


def fill(server: Server) -> None:
    """Real events of Spark and Flink, and runs whose events come in the wrong order."""
    assert server.post_batch(recorded()).status_code == 204
    for number, kind in ((30, "COMPLETE"), (20, "RUNNING"), (10, "START")):
        assert server.post(run_event(number, kind, run="late-start")).status_code == 201
    assert server.post_batch([run_event(n, job=f"job_{n % 7}") for n in range(100)]).status_code == 204


# Start and stop


def test_it_is_ready_soon_and_says_where_it_listens_and_keeps_data(make_server: MakeServer) -> None:
    server = make_server()
    started = time.monotonic()
    server.launch()
    server.wait_ready()
    assert time.monotonic() - started < 10
    assert server.url in server.output()
    assert str(server.data) in server.output()
    health = {"status": "ok", "position": 0, "tablesPosition": 0, "version": headwater_version}
    assert server.json("/healthz") == health


def test_it_names_a_folder_with_brackets_as_it_is(make_server: MakeServer, tmp_path: Path) -> None:
    server = make_server(tmp_path / "data [bold] [1]").start()
    assert str(server.data) in server.output()
    second = headwater("serve", "--port", str(free_port()), "--data", str(server.data))
    assert str(server.data) in second.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "Ctrl-C"])
def test_it_stops_cleanly(server: Server, number: int) -> None:
    server.post(run_event())
    with socket.create_connection(("127.0.0.1", server.port)):  # nobody waits for idle clients
        assert server.signal(number) == 0
    assert "Traceback" not in server.output()
    assert server.start().total() == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["stopped", "killed"])
def test_the_processes_that_read_for_it_end_with_it(server: Server, number: int) -> None:
    server.post(run_event())
    assert server.total() == 1
    readers = children(server.pid)
    assert readers
    server.signal(number)
    wait_for(lambda: not any(map(is_alive, readers)), "the readers to end")


def test_it_answers_on_when_the_processes_that_read_for_it_are_killed(server: Server) -> None:
    server.post(run_event())
    for _ in range(3):
        for reader in children(server.pid):
            os.kill(reader, signal.SIGKILL)
        assert server.total() == 1
    assert len(server.json("/api/v1/jobs")["jobs"]) == 1


def children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def is_alive(pid: int) -> bool:
    """A process that has ended and waits to be noticed counts as gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


# Folder and port


def test_a_second_server_on_the_same_folder_says_who_has_it(server: Server) -> None:
    second = headwater("serve", "--port", str(free_port()), "--data", str(server.data))
    assert second.returncode == 1
    assert str(server.data) in second.stderr
    assert f"process {server.pid}" in second.stderr
    assert "Traceback" not in second.stderr
    assert server.post(run_event()).status_code == 201


def test_a_folder_is_free_again_after_kill(server: Server) -> None:
    server.kill()
    server.start()


def test_a_port_that_is_taken_is_named(server: Server, tmp_path: Path) -> None:
    second = headwater("serve", "--port", str(server.port), "--data", str(tmp_path / "other"))
    assert second.returncode == 1
    assert f"127.0.0.1:{server.port}" in second.stderr
    assert "--port" in second.stderr
    assert "Traceback" not in second.stderr


@pytest.mark.parametrize(
    ("arguments", "env", "named"),
    [
        (["--port", "70000"], {}, "70000"),
        ([], {"HEADWATER_PORT": "many"}, "HEADWATER_PORT"),
        ([], {"HEADWATER_BODY_SECONDS": "soon"}, "HEADWATER_BODY_SECONDS"),
        (["--host", "no.such.host.invalid"], {}, "no.such.host.invalid"),
        (["--store", "clay"], {}, "clay"),
    ],
    ids=["port", "port in the environment", "seconds", "host", "store"],
)
def test_a_wrong_setting_is_named(tmp_path: Path, arguments: list[str], env: dict[str, str], named: str) -> None:
    port = [] if "--port" in arguments or "HEADWATER_PORT" in env else ["--port", str(free_port())]
    done = headwater("serve", "--data", str(tmp_path / "data"), *port, *arguments, env=env)
    assert done.returncode != 0
    assert named in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = headwater("serve", "--port", str(free_port()), "--data", str(tmp_path / "file"))
    assert done.returncode == 1
    assert str(tmp_path / "file") in done.stderr
    assert "Traceback" not in done.stderr


# Restart and rebuild


def changed_at(file: Path) -> int | None:
    """None while there is no such file: it may go at any moment."""
    try:
        return file.stat().st_ctime_ns
    except FileNotFoundError:
        return None


def test_restart_kill_and_rebuild_change_nothing(server: Server, make_server: MakeServer) -> None:
    fill(server)
    before = server.answers()
    assert not differences(before, server.restart().answers()), "after a restart"
    server.kill()
    assert not differences(before, server.start().answers()), "after a kill"
    server.stop()
    assert "251 events" in rebuild(server.data)
    assert not differences(before, server.start().answers()), "after a rebuild"
    server.stop()
    tables = server.data / "tables.db"
    made = changed_at(tables)
    worker = make_server(server.data, command="rebuild")
    worker.launch()
    wait_for(lambda: changed_at(tables) not in (None, made), "the tables to be made anew")
    worker.kill()
    assert not differences(before, server.start().answers()), "after a rebuild that was killed"


def test_a_rebuild_beside_a_running_server_is_refused(server: Server) -> None:
    fill(server)
    done = headwater("rebuild", "--data", str(server.data))
    assert done.returncode == 1
    assert f"process {server.pid}" in done.stderr
    assert "Traceback" not in done.stderr
    assert server.json("/healthz")["status"] == "ok"
    assert server.post(run_event(7)).status_code == 201


# What it reports about itself


def test_metrics_count(server: Server) -> None:
    fill(server)
    server.json("/api/v1/jobs")
    metrics = {}
    for line in server.get("/metrics").text.splitlines():
        if not line.startswith("#"):
            name, _, value = line.rpartition(" ")
            metrics[name] = float(value)
    assert metrics["headwater_events_accepted_total"] == metrics["headwater_log_position"] == 251
    assert metrics["headwater_log_commits_total"] >= 5
    assert metrics["headwater_tables_behind"] == 0
    assert metrics["headwater_jobs"] > 10
    assert metrics["headwater_edges"] > 10
    assert metrics["headwater_log_bytes"] > 0
    assert metrics["process_open_fds"] > 0


def test_the_schema_of_the_api_is_served(server: Server) -> None:
    schema = server.json("/schema/openapi.json")
    assert schema["openapi"].startswith("3.")
    assert {"/api/v1/lineage", "/api/v1/column-lineage", "/api/v1/events/lineage"} <= set(schema["paths"])


def test_nothing_is_written_outside_the_data_folder(make_server: MakeServer, tmp_path: Path) -> None:
    server = make_server(tmp_path / "deep" / "er" / "data")
    server.data.parent.mkdir(parents=True)
    server.start().post(run_event())
    server.stop()
    assert {"lock", "log.db", "tables.db", "search"} >= {p.name for p in server.data.iterdir()}
    assert os.listdir(server.data.parent.parent) == ["er"]
