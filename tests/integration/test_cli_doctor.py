"""`headwater doctor`: each line is true, and says what to do."""

import json
import resource
import subprocess
from pathlib import Path
from typing import Any

from tests.integration.samples import run_event
from tests.support.server import HEADWATER, Server, free_port, headwater


def checks(*arguments: str, code: int = 0) -> dict[str, dict[str, Any]]:
    done = headwater("doctor", *arguments, "--json")
    assert done.returncode == code, done.stdout + done.stderr
    return {check["what"]: check for check in json.loads(done.stdout)}


def test_a_healthy_installation(server: Server) -> None:
    server.post(run_event())
    server.total()  # brings up the tables
    results = checks("--data", str(server.data), "--url", server.url)
    assert {check["level"] for name, check in results.items() if name not in ("disk", "open files")} == {"ok"}
    assert f"process {server.pid}" in results["lock"]["said"]
    assert "1 events" in results["log.db"]["said"]
    assert server.url in results["server"]["said"]
    assert results["clocks"]["said"] == "agree"


def test_people_read_lines(server: Server) -> None:
    done = headwater("doctor", "--data", str(server.data), "--url", server.url)
    assert done.returncode == 0
    assert all(line.split()[0] in ("ok", "warn", "fail") for line in done.stdout.splitlines())


def test_before_the_first_start(tmp_path: Path) -> None:
    data, url = tmp_path / "new" / "folder", f"http://127.0.0.1:{free_port()}"
    results = checks("--data", str(data), "--url", url)
    assert "does not exist yet" in results["data folder"]["said"]
    assert results["server"]["level"] == "warn"
    assert "headwater serve" in results["server"]["said"]
    assert not data.exists()


def test_a_port_that_is_taken_by_something_else(server: Server, tmp_path: Path) -> None:
    env = {"HEADWATER_PORT": str(server.port)}
    done = headwater("doctor", "--data", str(tmp_path), "--url", f"http://127.0.0.1:{free_port()}", "--json", env=env)
    results = {check["what"]: check for check in json.loads(done.stdout)}
    assert results["port"]["level"] == "warn"
    assert str(server.port) in results["port"]["said"]


def test_damaged_files_are_found(server: Server) -> None:
    server.post_batch([run_event(n) for n in range(200)])
    server.total()
    server.stop()
    for name in ("log.db", "tables.db"):
        file = server.data / name
        whole = file.read_bytes()
        file.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
        results = checks("--data", str(server.data), "--url", server.url, code=1)
        assert results[name]["level"] == "fail"
        assert results[name]["todo"]
        file.write_bytes(whole[: len(whole) // 2])
        assert checks("--data", str(server.data), "--url", server.url, code=1)[name]["level"] == "fail"
        file.write_bytes(whole)
    assert checks("--data", str(server.data), "--url", server.url)["lock"]["said"] == "free"


def test_a_data_folder_that_is_a_file(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    results = checks("--data", str(file), "--url", f"http://127.0.0.1:{free_port()}", code=1)
    assert results["data folder"]["level"] == "fail"


def test_few_open_files_are_a_warning(tmp_path: Path) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))

    command = [*HEADWATER, "doctor", "--data", str(tmp_path), "--url", f"http://127.0.0.1:{free_port()}", "--json"]
    done = subprocess.run(command, preexec_fn=limit, capture_output=True, text=True, check=False)
    results = {check["what"]: check for check in json.loads(done.stdout)}
    assert results["open files"]["level"] == "warn"
    assert "ulimit" in results["open files"]["todo"]


def test_it_changes_nothing(server: Server) -> None:
    server.post(run_event())
    server.stop()
    before = {file: file.read_bytes() for file in server.data.rglob("*") if file.is_file()}
    checks("--data", str(server.data), "--url", server.url)
    assert {file: file.read_bytes() for file in server.data.rglob("*") if file.is_file()} == before
