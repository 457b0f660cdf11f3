"""Drivers that are killed, with and without a parent that watches them."""

import os
import signal
import sys
from pathlib import Path
from typing import Any

from tests.spark.scripts import STREAM, children, is_alive, read_pid, run_script, started
from tests.support.server import MakeServer, Server, free_port, path_of, wait_for

PATIENCE = 120.0
SUPERVISE = (sys.executable, "-m", "headwater.spark.supervise")


def supervised(*options: str) -> tuple[str, ...]:
    return (*SUPERVISE, *options, "--", sys.executable, "-c", STREAM)


def events_of(server: Server, job: str) -> list[Any]:
    return [e for e in server.events() if e.get("job", {}).get("name") == job]


def states(server: Server, job: str) -> list[str]:
    answer = server.get(f"{path_of('jobs', 'tests', job)}/runs")
    return [run["state"] for run in answer.json()["runs"]] if answer.status_code == 200 else []


def test_a_killed_driver_is_reported_at_once_and_started_again(server: Server, tmp_path: Path) -> None:
    with started([*supervised("--pause", "0.1"), server.url, str(tmp_path), "killed"]) as job:
        driver = read_pid(tmp_path)
        wait_for(lambda: states(server, "killed") == ["RUNNING"], "the query", PATIENCE)
        (jvm,) = children(driver)
        os.kill(driver, signal.SIGKILL)
        wait_for(lambda: states(server, "killed")[-1] == "ABORTED", "the end of the run", PATIENCE)
        again = read_pid(tmp_path)
        wait_for(lambda: states(server, "killed") == ["RUNNING", "ABORTED"], "the next run", PATIENCE)
        assert again != driver
        assert not is_alive(jvm), "nothing of the first one may still write"
        events = events_of(server, "killed")
        end = next(e for e in events if e["eventType"] == "ABORT")
        assert end["run"]["facets"]["headwater_end"]["reason"] == "the driver was killed by SIGKILL"
        of_run = [e for e in events if e["run"]["runId"] == end["run"]["runId"]]
        assert of_run[-1] == end
        assert end["eventTime"] == max(e["eventTime"] for e in of_run)
        assert f"(process {driver}) was killed by SIGKILL" in job.output()
        assert "ended in lineage: killed" in job.output()

        (next_jvm,) = children(again)
        job.process.send_signal(signal.SIGTERM)
        assert job.wait() == 128 + signal.SIGTERM
        assert states(server, "killed") == ["ABORTED", "ABORTED"]
        assert events_of(server, "killed")[-1]["run"]["facets"]["headwater_end"]["reason"] == "SIGTERM"
        assert not is_alive(next_jvm)
        assert [path for path in (tmp_path / "spool").rglob("*") if path.is_file()] == []


def test_an_end_while_the_server_is_away_is_reported_later(make_server: MakeServer, tmp_path: Path) -> None:
    server, port = make_server(), free_port()
    with started([*supervised("--restarts", "0"), f"http://127.0.0.1:{port}", str(tmp_path), "unheard"]) as job:
        driver = read_pid(tmp_path)
        wait_for(lambda: len(list((tmp_path / "spool").glob("*/*.json"))) >= 3, "events on disk", PATIENCE)
        os.kill(driver, signal.SIGKILL)
        assert job.wait() == 128 + signal.SIGKILL
    server.start(port)
    arguments = [server.url, str(tmp_path), "another"]
    run_script(STREAM, arguments, terminate_when=lambda: states(server, "another") == ["RUNNING"])
    kinds = [e["eventType"] for e in events_of(server, "unheard")]
    assert (kinds[0], kinds[-1]) == ("START", "ABORT")
    assert set(kinds[1:-1]) == {"RUNNING"}
    assert states(server, "unheard") == ["ABORTED"]


def test_without_a_parent_the_next_driver_ends_what_a_killed_one_left(server: Server, tmp_path: Path) -> None:
    with started([sys.executable, "-c", STREAM, server.url, str(tmp_path), "left"]) as job:
        driver = read_pid(tmp_path)
        wait_for(lambda: len(events_of(server, "left")) >= 3, "a few events", PATIENCE)
        os.kill(driver, signal.SIGKILL)
        job.wait()
    assert states(server, "left") == ["RUNNING"]
    arguments = [server.url, str(tmp_path), "next"]
    run_script(STREAM, arguments, terminate_when=lambda: states(server, "next") == ["RUNNING"])
    assert states(server, "left") == ["ABORTED"]
    *before, end = events_of(server, "left")
    assert end["eventTime"] > max(e["eventTime"] for e in before)
    assert end["run"]["facets"]["headwater_end"]["reason"].startswith("the driver died without reporting its end")
    assert end["eventTime"] < events_of(server, "next")[0]["eventTime"], "it was dead before the next one came"


def test_who_kills_the_parent_ends_the_driver(server: Server, tmp_path: Path) -> None:
    with started([*supervised(), server.url, str(tmp_path), "orphan"]) as job:
        driver = read_pid(tmp_path)
        wait_for(lambda: states(server, "orphan") == ["RUNNING"], "the query", PATIENCE)
        (jvm,) = children(driver)
        job.process.kill()
        wait_for(lambda: not is_alive(driver) and not is_alive(jvm), "the driver to end", PATIENCE)
    assert states(server, "orphan") == ["ABORTED"]


def test_a_driver_of_spark_submit_is_watched_too(server: Server, tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text(STREAM)
    submit = str(Path(sys.executable).with_name("spark-submit"))
    command = [*SUPERVISE, "--restarts", "0", "--", submit, "--driver-memory", "512m", str(script)]
    env = {"PYSPARK_PYTHON": sys.executable}
    with started([*command, server.url, str(tmp_path), "submitted"], env) as job:
        driver = read_pid(tmp_path)
        wait_for(lambda: states(server, "submitted") == ["RUNNING"], "the query", PATIENCE)
        os.kill(driver, signal.SIGKILL)
        assert job.wait() == 128 + signal.SIGKILL
    assert states(server, "submitted") == ["ABORTED"]
    reason = events_of(server, "submitted")[-1]["run"]["facets"]["headwater_end"]["reason"]
    assert reason == "the driver was killed by SIGKILL"


def test_a_command_that_ends_well_is_not_started_again() -> None:
    with started([*SUPERVISE, "--", sys.executable, "-c", "print('once')"]) as job:
        assert job.wait() == 0
        assert job.output() == "once\n"


def test_it_gives_up_after_so_many_restarts_with_the_code_of_the_last() -> None:
    command = [*SUPERVISE, "--restarts", "2", "--pause", "0.01", "--", sys.executable, "-c", "exit(7)"]
    with started(command) as job:
        assert job.wait() == 7
        lines = job.output().splitlines()
    assert [line for line in lines if "restart" in line] == [
        "supervise: restart 1 in 0.01 s",
        "supervise: restart 2 in 0.02 s",
        "supervise: giving up after 2 restarts",
    ]


def test_a_command_that_does_not_exist_is_not_tried_again() -> None:
    with started([*SUPERVISE, "--", "no-such-program"]) as job:
        assert job.wait() == 127
        assert "cannot start no-such-program: No such file or directory" in job.output()


def test_what_the_command_leaves_running_is_ended_before_the_next_start(tmp_path: Path) -> None:
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    script = f"""
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", {deaf!r}])
open({str(tmp_path / "pid")!r}, "w").write(str(child.pid))
sys.exit(3)
"""
    with started([*SUPERVISE, "--restarts", "0", "--", sys.executable, "-c", script]) as job:
        assert job.wait() == 3
        assert not is_alive(read_pid(tmp_path))
        assert "killing what it had started" in job.output()
