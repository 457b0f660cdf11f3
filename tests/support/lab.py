"""Labs in temporary folders, run with the command, and the processes that are left of them."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

# Far beyond what a start takes, downloads included: reaching it means that something hangs.
PATIENCE = 900.0


class Lab:
    def __init__(self, data: Path, env: Mapping[str, str] | None = None) -> None:
        self.data = data
        self.output = ""
        """Of the command that started it."""
        self._env = {**os.environ, "COLUMNS": "500", **(env or {})}

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            self._command(*words), env=self._env, capture_output=True, text=True, timeout=PATIENCE, check=False
        )

    def start(self, *options: str) -> "subprocess.Popen[str]":
        """In the foreground of a process of its own."""
        return subprocess.Popen(
            self._command("up", *options),
            env=self._env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # Shells let what they start in the background ignore Ctrl-C, and the tests may be started so.
            preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
        )

    def up(self, *options: str) -> str:
        done = self.run("up", "--detach", *options)
        assert done.returncode == 0, done.stderr
        self.output = done.stdout
        return done.stdout

    def down(self) -> None:
        done = self.run("down")
        assert done.returncode == 0, done.stderr

    def status(self) -> dict[str, Any]:
        status: dict[str, Any] = json.loads(self.run("status", "--json").stdout)
        return status

    def state(self) -> dict[str, Any]:
        """The state file."""
        state: dict[str, Any] = json.loads((self.data / "lab.json").read_bytes())
        return state

    def url(self, service: str) -> str:
        url: str = next(s["url"] for s in self.state()["services"] if s["name"] == service)
        return url

    def pid(self, service: str) -> int:
        pid: int = next(s["pid"] for s in self.state()["services"] if s["name"] == service)
        return pid

    def kill_supervisor(self) -> None:
        os.kill(self.state()["pid"], signal.SIGKILL)

    def processes(self) -> list[int]:
        """All that have the lab's folder in their command line or environment, or work in it."""
        here = str(self.data)
        pids = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal() and int(entry.name) != os.getpid():
                try:
                    texts = [(entry / name).read_bytes().decode(errors="replace") for name in ("cmdline", "environ")]
                    folder = os.readlink(entry / "cwd")
                except OSError:
                    continue
                if any(here in text for text in (*texts, folder)):
                    pids.append(int(entry.name))
        return pids

    def _command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "headwater.cli.main", "lab", *words, "--data", str(self.data)]


MakeLab = Callable[..., Lab]


@contextmanager
def make_labs(folder: Path) -> Iterator[MakeLab]:
    """Makes labs in a folder, not started yet. In the end all are down, and nothing of them runs."""
    labs: list[Lab] = []

    def make(name: str, env: Mapping[str, str] | None = None) -> Lab:
        labs.append(Lab(folder / name, env))
        return labs[-1]

    yield make
    for lab in labs:
        lab.run("down")
        assert not lab.processes()
