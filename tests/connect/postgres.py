"""A PostgreSQL for one test: in a folder of its own, as a user who may run it, with logical replication."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from tests.support.server import free_port, wait_for


class Postgres:
    def __init__(self) -> None:
        self._bin = _programs()
        self.port = free_port()
        # PostgreSQL does not run as root, and others may not look into pytest's folders.
        self._user = _somebody() if os.geteuid() == 0 else None
        self._folder = Path(tempfile.mkdtemp(prefix="headwater-pg-"))
        if self._user is not None:
            shutil.chown(self._folder, self._user)
        self._run("initdb", "-D", str(self._folder / "data"), "-U", "owner", "-A", "trust", "-N", "--no-locale")
        options = [
            "-p",
            str(self.port),
            "-c",
            "wal_level=logical",
            "-c",
            "listen_addresses=127.0.0.1",
            "-c",
            "fsync=off",
        ]
        with (self._folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [self._bin / "postgres", "-D", str(self._folder / "data"), "-k", str(self._folder), *options],
                stdout=log,
                stderr=subprocess.STDOUT,
                user=self._user,
                cwd=self._folder,
            )
        wait_for(lambda: self._run("pg_isready", "-h", "127.0.0.1", "-p", str(self.port), check=False) == 0, "it", 60)

    def sql(self, text: str, database: str = "postgres") -> None:
        self._run(
            "psql",
            "-h",
            "127.0.0.1",
            "-p",
            str(self.port),
            "-U",
            "owner",
            "-d",
            database,
            "-v",
            "ON_ERROR_STOP=1",
            "-c",
            text,
        )

    def end(self) -> None:
        self._process.send_signal(signal.SIGINT)  # without waiting for those who are connected
        self._process.wait(60)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, program: str, *words: str, check: bool = True) -> int:
        done = subprocess.run(
            [self._bin / program, *words], user=self._user, cwd=self._folder, capture_output=True, check=False
        )
        assert not check or done.returncode == 0, done.stderr.decode()
        return done.returncode


def _programs() -> Path:
    """On Debian the server's programs are not in the path."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if programs:
        return programs[-1].parent
    there = shutil.which("initdb")
    assert there is not None, "the test needs PostgreSQL (on Debian: apt-get install postgresql)"
    return Path(there).parent


def _somebody() -> str:
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    raise AssertionError("no user to run PostgreSQL as")
