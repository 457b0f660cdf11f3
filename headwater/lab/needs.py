"""Whether this machine has what the lab needs. Each thing that is missing is one sentence that says what to do."""

import os
import pwd
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from headwater.errors import CannotStart

OLDEST_JAVA = 17
_DEBIAN = Path("/usr/lib/postgresql")


def java(environment: Mapping[str, str]) -> str:
    """The program: that of JAVA_HOME, which Maven takes too, else the first on the path."""
    home = environment.get("JAVA_HOME")
    found = shutil.which("java", path=f"{home}/bin") if home else None
    found = found or shutil.which("java", path=environment.get("PATH", ""))
    if found is None:
        raise CannotStart(
            f"there is no Java: install version {OLDEST_JAVA} or newer (on Debian: apt-get install "
            "openjdk-17-jre-headless), or set JAVA_HOME"
        )
    try:
        done = subprocess.run([found, "-version"], capture_output=True, text=True, check=False)  # noqa: S603
    except OSError as e:
        raise CannotStart(f"{found} cannot be run ({e.strerror}): install Java {OLDEST_JAVA} or newer") from None
    version = java_version(done.stderr + done.stdout)
    if version is None:
        raise CannotStart(f"{found} does not tell its version: install Java {OLDEST_JAVA} or newer")
    if version < OLDEST_JAVA:
        raise CannotStart(
            f"{found} is Java {version}, and the lab needs {OLDEST_JAVA} or newer: install it, or set JAVA_HOME to it"
        )
    return found


def java_version(said: str) -> int | None:
    """`17.0.15` is 17, and so was `1.8.0_402` 8."""
    found = re.search(r'version "(?:1\.)?(\d+)', said)
    return int(found[1]) if found else None


def maven(environment: Mapping[str, str]) -> str:
    found = shutil.which("mvn", path=environment.get("PATH", ""))
    if found is None:
        raise CannotStart(
            "there is no Maven, which downloads the services: install it (on Debian: apt-get install maven)"
        )
    return found


def spark() -> Path | None:
    """The home of the Spark that came with pyspark."""
    found = find_spec("pyspark")
    return Path(found.origin).parent if found and found.origin else None


def pipeline() -> Path:
    """The folder that has the package `pipeline`, with all that its jobs import."""
    root = Path(__file__).parents[2]
    if not (root / "pipeline" / "__init__.py").exists():
        raise CannotStart(
            "the orders pipeline is not part of an installed Headwater: clone its repository, and say `make demo` there"
        )
    missing = [name for name in ("pyspark", "confluent_kafka", "openlineage") if find_spec(name) is None]
    if missing:
        raise CannotStart(
            f"the orders pipeline needs {' and '.join(missing)}, not installed here (`make setup-lab` does that)"
        )
    return root


def plugins(folder: Path) -> None:
    if not (folder / "connectors").is_dir():
        raise CannotStart(
            "the orders pipeline needs plugins for Kafka Connect, not built here (`make connect` does that)"
        )


def postgresql(environment: Mapping[str, str]) -> Path:
    """The folder of PostgreSQL's programs: Debian keeps them off the path."""
    programs = ("initdb", "postgres", "psql")
    versions = sorted(_DEBIAN.glob("*/bin"), key=lambda path: path.parent.name.zfill(4))
    for folder in (*map(Path, environment.get("PATH", "").split(os.pathsep)), *reversed(versions)):
        if all(os.access(folder / program, os.X_OK) for program in programs):
            return folder
    raise CannotStart(
        f"there is no PostgreSQL with {', '.join(programs)}: install it (on Debian: apt-get install postgresql)"
    )


def somebody(path: Path, what: str) -> str | None:
    """Whom root becomes for a program that refuses to be run by root; None for all others, who stay who they are."""
    if os.geteuid() != 0:
        return None
    accounts = {account.pw_name: account for account in pwd.getpwall()}
    user = next((accounts[name] for name in ("postgres", "nobody") if name in accounts), None)
    if user is None:
        raise CannotStart(f"{what} does not run as root, and there is no user nobody: start the lab as another user")
    words = ["/bin/sh", "-c", 'cd "$1"', "sh", str(path)]
    tried = subprocess.run(  # noqa: S603
        words, user=user.pw_uid, group=user.pw_gid, extra_groups=(), stderr=subprocess.DEVNULL, check=False
    )
    if tried.returncode != 0:
        raise CannotStart(
            f"{what} does not run as root, and the user {user.pw_name} cannot enter {path}: choose a folder that "
            "everybody can enter with --data, or start the lab as another user"
        )
    return user.pw_name


def folder(path: Path, what: str) -> None:
    """Makes it if it is missing."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise CannotStart(f"{what} {path} cannot be made: {e.strerror}") from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise CannotStart(f"{what} {path} cannot be written to: change its rights or choose another one")


def room(path: Path, megabytes: int, what: str) -> None:
    """`path` is there already."""
    free = shutil.disk_usage(path).free >> 20
    if free < megabytes:
        raise CannotStart(f"{what} needs {megabytes:,} MB, and {path} has {free:,} MB free: make room on that disk")


def main() -> None:
    """Before hundreds of megabytes are downloaded that would be of no use."""
    try:
        java(os.environ)
        maven(os.environ)
    except CannotStart as e:
        sys.exit(f"headwater: {e}")


if __name__ == "__main__":
    main()
