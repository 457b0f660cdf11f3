"""The lab's commands, with Headwater as the only service: it needs no Java and no download."""

import os
import signal
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path

import httpx
import pytest

from tests.support.lab import Lab, MakeLab
from tests.support.server import free_port, wait_for


@pytest.fixture
def make_light_lab(make_lab: MakeLab, tmp_path: Path) -> MakeLab:
    """With a cache of its own, in which there is nothing."""
    return partial(make_lab, env={"XDG_CACHE_HOME": str(tmp_path / "cache")})


@pytest.fixture
def light_lab(make_light_lab: MakeLab) -> Lab:
    return make_light_lab("lab")


ONLY = ("--services", "headwater")


def test_up_status_down(light_lab: Lab) -> None:
    output = light_lab.up(*ONLY)
    url = light_lab.url("headwater")
    assert url in output
    assert httpx.get(f"{url}/healthz").json()["status"] == "ok"
    status = light_lab.status()
    (service,) = status["services"]
    assert status["running"]
    assert (service["phase"], service["health"], service["pid"]) == ("up", "ok", light_lab.pid("headwater"))
    assert service["memory"] > 10_000_000
    assert service["uptime"] > 0
    shown = light_lab.run("status")
    assert shown.returncode == 0
    assert "ok" in shown.stdout
    light_lab.down()
    assert not light_lab.processes()
    after = light_lab.run("status")
    assert after.returncode == 1
    assert "is not running" in after.stdout


def test_a_service_goes_away_and_comes_back_while_the_lab_runs_on(light_lab: Lab) -> None:
    light_lab.up(*ONLY)
    url, first = light_lab.url("headwater"), light_lab.pid("headwater")
    assert httpx.put(f"{url}/api/v1/namespaces/lab-test", json={"ownerName": "me"}).status_code == 200
    stopped = light_lab.run("stop", "headwater")
    assert (stopped.returncode, "headwater lab start headwater" in stopped.stdout) == (0, True)
    assert not Path(f"/proc/{first}").exists()
    status = light_lab.status()
    assert (status["running"], status["services"][0]["health"]) == (True, "stopped")
    assert light_lab.run("start", "headwater").returncode == 0
    assert light_lab.pid("headwater") != first
    assert httpx.get(f"{url}/api/v1/namespaces/lab-test").json()["ownerName"] == "me"
    wrong = light_lab.run("stop", "kafka")
    assert (wrong.returncode, "available: headwater" in wrong.stderr) == (4, True)
    light_lab.down()
    late = light_lab.run("stop", "headwater")
    assert (late.returncode, "no lab is running" in late.stderr) == (4, True)


def test_a_second_start_of_the_same_lab_is_refused_and_harms_nothing(light_lab: Lab) -> None:
    light_lab.up(*ONLY)
    again = light_lab.run("up", *ONLY)
    assert again.returncode == 1
    assert "is already running" in again.stderr
    assert light_lab.status()["services"][0]["health"] == "ok"


def test_ctrl_c_ends_a_lab_in_the_foreground(light_lab: Lab) -> None:
    process = light_lab.start(*ONLY)
    wait_for(lambda: (light_lab.data / "lab.json").exists() and light_lab.state()["phase"] == "up", "the lab")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "is up after" in out
    assert out.endswith("is down.\n")
    assert not light_lab.processes()


def test_a_service_that_dies_is_named_with_the_end_of_its_log_and_ends_the_lab(light_lab: Lab) -> None:
    process = light_lab.start(*ONLY)
    wait_for(lambda: (light_lab.data / "lab.json").exists() and light_lab.state()["phase"] == "up", "the lab")
    log = light_lab.data / "logs" / "headwater.log"
    wait_for(lambda: "listens on" in log.read_text(), "its first line, which comes after its first answer")
    os.kill(light_lab.pid("headwater"), signal.SIGKILL)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "Headwater was killed by SIGKILL" in err
    assert "Headwater listens on http://127.0.0.1:" in err.partition("The end of")[2]
    assert light_lab.state()["phase"] == "failed"
    shown = light_lab.run("status")
    assert "Headwater was killed by SIGKILL" in shown.stdout


def test_a_supervisor_that_is_killed_takes_its_services_along(light_lab: Lab) -> None:
    light_lab.up(*ONLY)
    pid = light_lab.pid("headwater")
    light_lab.kill_supervisor()
    wait_for(lambda: not Path(f"/proc/{pid}").exists(), "the end of the service")
    wait_for(lambda: not light_lab.processes(), "the end of everything")
    shown = light_lab.run("status")
    assert shown.returncode == 1
    assert "supervisor was killed, and the services with it" in shown.stdout
    light_lab.up(*ONLY)


def test_a_service_that_cannot_start_ends_the_start_with_its_log(light_lab: Lab) -> None:
    (light_lab.data / "headwater" / "store").mkdir(parents=True)
    (light_lab.data / "lab.lock").touch()
    (light_lab.data / "headwater" / "store" / "log.db").write_bytes(b"this is no database, but long enough" * 200)
    done = light_lab.run("up", "--detach", *ONLY)
    assert done.returncode == 1
    assert "Headwater ended with code 1" in done.stderr
    assert "log.db" in done.stderr


def test_data_and_ports_stay_from_one_start_to_the_next(light_lab: Lab) -> None:
    light_lab.up(*ONLY, "--ports", f"headwater={free_port()}")
    url = light_lab.url("headwater")
    assert httpx.put(f"{url}/api/v1/namespaces/lab-test", json={"ownerName": "me"}).status_code == 200
    light_lab.down()
    light_lab.up(*ONLY)
    assert light_lab.url("headwater") == url
    assert httpx.get(f"{url}/api/v1/namespaces/lab-test").json()["ownerName"] == "me"


def test_two_labs_side_by_side(make_light_lab: MakeLab) -> None:
    one, two = make_light_lab("one"), make_light_lab("two")
    one.up(*ONLY)
    two.up(*ONLY)
    assert one.url("headwater") != two.url("headwater")
    one.down()
    assert two.status()["services"][0]["health"] == "ok"


def test_a_port_that_is_taken_is_avoided_and_a_pinned_one_is_an_error(light_lab: Lab) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = light_lab.run("up", "--detach", *ONLY, "--ports", f"headwater={port}")
    assert done.returncode == 1
    assert f"port {port} for headwater is in use" in done.stderr
    assert not light_lab.processes()


def test_logs(light_lab: Lab) -> None:
    light_lab.up(*ONLY)
    assert light_lab.run("logs").stdout == light_lab.run("logs", "headwater").stdout
    assert "listens on" in light_lab.run("logs", "headwater", "-n", "1").stdout
    wrong = light_lab.run("logs", "kafka")
    assert (wrong.returncode, "available: headwater" in wrong.stderr) == (4, True)


def test_endpoints_for_jobs_of_ones_own(light_lab: Lab) -> None:
    wrong = light_lab.run("run", "brew")
    assert (wrong.returncode, "no job 'brew'; available: produce, streams" in wrong.stderr) == (1, True)
    light_lab.up(*ONLY)
    light_lab.down()
    down = light_lab.run("run", "produce")
    assert (down.returncode, "is not running" in down.stderr or "make setup-lab" in down.stderr) == (1, True)


def test_reset_asks_and_refuses_while_it_runs(light_lab: Lab) -> None:
    light_lab.up(*ONLY)
    refused = light_lab.run("reset", "--yes")
    assert (refused.returncode, "stop it first" in refused.stderr) == (1, True)
    light_lab.down()
    unasked = light_lab.run("reset")
    assert (unasked.returncode, "confirm with --yes" in unasked.stderr) == (1, True)
    assert (light_lab.data / "headwater" / "store" / "log.db").exists()
    assert light_lab.run("reset", "--yes").returncode == 0
    assert not light_lab.data.exists()


def test_where_no_lab_is_every_command_says_how_to_start_one(light_lab: Lab) -> None:
    for command in ("down", "status", "logs", "reset"):
        done = light_lab.run(command)
        assert done.returncode == 4
        assert "start one with `headwater lab up`" in done.stderr


def test_what_the_demo_needs_is_checked_before_any_download(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "headwater.lab.requirements"]
    done = subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Java not found" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_missing_requirements_are_one_sentence(tmp_path: Path) -> None:
    bare = Lab(tmp_path / "lab", {"PATH": str(tmp_path), "JAVA_HOME": ""})
    no_java = bare.run("up", "--services", "kafka")
    assert (no_java.returncode, "Java not found" in no_java.stderr) == (1, True)
    (tmp_path / "file").touch()
    no_cache = Lab(tmp_path / "lab", {"XDG_CACHE_HOME": str(tmp_path / "file")}).run("up", *ONLY)
    assert (no_cache.returncode, "the cache folder" in no_cache.stderr) == (1, True)
    no_folder = Lab(tmp_path / "file" / "lab").run("up", *ONLY)
    assert (no_folder.returncode, "the lab's folder" in no_folder.stderr) == (1, True)
    (tmp_path / "metastore").mkdir()
    (tmp_path / "lab.lock").touch()
    other = Lab(tmp_path).run("up", *ONLY, "--metastore", "postgres")
    assert (other.returncode, "is on derby, which cannot change" in other.stderr) == (1, True)
    for done in (no_java, no_cache, no_folder, other):
        assert done.stdout == ""
        assert len(done.stderr.splitlines()) == 1
