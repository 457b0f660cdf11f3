"""Labs in temporary folders, driven by the command, and what is left of them."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

# Far beyond what a start takes, downloads included: reaching it means that something hangs.
PATIENCE = 900.0


class Lab:
    def __init__(self, data: Path, env: Mapping[str, str] | None = None) -> None:
        self.data = data
        self.said = ""
        """What the command said that started it."""
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
        self.said = done.stdout
        return done.stdout

    def down(self) -> None:
        done = self.run("down")
        assert done.returncode == 0, done.stderr

    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.run("status", "--json").stdout)
        return found

    def told(self) -> dict[str, Any]:
        """The state file."""
        found: dict[str, Any] = json.loads((self.data / "lab.json").read_bytes())
        return found

    def url(self, service: str) -> str:
        found: str = next(s["url"] for s in self.told()["services"] if s["name"] == service)
        return found

    def pid(self, service: str) -> int:
        found: int = next(s["pid"] for s in self.told()["services"] if s["name"] == service)
        return found

    def kill_supervisor(self) -> None:
        os.kill(self.told()["pid"], signal.SIGKILL)

    def processes(self) -> list[int]:
        """All that have the lab's folder in their command line or environment, or work in it."""
        here = str(self.data)
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal() and int(entry.name) != os.getpid():
                try:
                    words = [(entry / name).read_bytes().decode(errors="replace") for name in ("cmdline", "environ")]
                    folder = os.readlink(entry / "cwd")
                except OSError:
                    continue
                if any(here in text for text in (*words, folder)):
                    found.append(int(entry.name))
        return found

    def _command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "headwater.cli.main", "lab", *words, "--data", str(self.data)]
