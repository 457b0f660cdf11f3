"""What the lab needs of this machine. For each thing that is missing, the error says what to do."""

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
    """The java program: that of JAVA_HOME, which Maven uses too, else the first on the path."""
    home = environment.get("JAVA_HOME")
    program = shutil.which("java", path=f"{home}/bin") if home else None
    program = program or shutil.which("java", path=environment.get("PATH", ""))
    if program is None:
        raise CannotStart(
            f"Java not found: install version {OLDEST_JAVA} or newer (Debian: apt-get install "
            "openjdk-17-jre-headless), or set JAVA_HOME"
        )
    try:
        done = subprocess.run([program, "-version"], capture_output=True, text=True, check=False)  # noqa: S603
    except OSError as e:
        raise CannotStart(f"cannot run {program} ({e.strerror}): install Java {OLDEST_JAVA} or newer") from None
    version = java_version(done.stderr + done.stdout)
    if version is None:
        raise CannotStart(f"{program} does not print its version: install Java {OLDEST_JAVA} or newer")
    if version < OLDEST_JAVA:
        raise CannotStart(
            f"{program} is Java {version}, but the lab needs {OLDEST_JAVA} or newer: install it, or set JAVA_HOME"
        )
    return program


def java_version(output: str) -> int | None:
    """`17.0.15` is 17, and `1.8.0_402` is 8."""
    match = re.search(r'version "(?:1\.)?(\d+)', output)
    return int(match[1]) if match else None


def maven(environment: Mapping[str, str]) -> str:
    program = shutil.which("mvn", path=environment.get("PATH", ""))
    if program is None:
        raise CannotStart(
            "Maven not found; the lab downloads its services with it: install it (Debian: apt-get install maven)"
        )
    return program


def spark() -> Path | None:
    """The home of the Spark that comes with pyspark."""
    package = find_spec("pyspark")
    return Path(package.origin).parent if package and package.origin else None


def pipeline() -> Path:
    """The folder with the package `pipeline`; everything that its jobs import is installed."""
    root = Path(__file__).parents[2]
    if not (root / "pipeline" / "__init__.py").exists():
        raise CannotStart(
            "the orders pipeline is not part of an installed Headwater: clone its repository and run `make demo` there"
        )
    missing = [name for name in ("pyspark", "confluent_kafka", "openlineage") if find_spec(name) is None]
    if missing:
        raise CannotStart(f"the orders pipeline needs {' and '.join(missing)}; run `make setup-lab`")
    return root


def check_plugins(folder: Path) -> None:
    if not (folder / "connectors").is_dir():
        raise CannotStart("the orders pipeline needs its Kafka Connect plugins; run `make connect`")


def postgresql(environment: Mapping[str, str]) -> Path:
    """The folder of PostgreSQL's programs, which Debian keeps off the path."""
    programs = ("initdb", "postgres", "psql")
    versions = sorted(_DEBIAN.glob("*/bin"), key=lambda path: path.parent.name.zfill(4))
    for folder in (*map(Path, environment.get("PATH", "").split(os.pathsep)), *reversed(versions)):
        if all(os.access(folder / program, os.X_OK) for program in programs):
            return folder
    raise CannotStart(f"PostgreSQL ({', '.join(programs)}) not found: install it (Debian: apt-get install postgresql)")


def unprivileged_user(path: Path, what: str) -> str | None:
    """The user to whom root switches for a program that refuses to run as root; None if we are not root."""
    if os.geteuid() != 0:
        return None
    accounts = {account.pw_name: account for account in pwd.getpwall()}
    user = next((accounts[name] for name in ("postgres", "nobody") if name in accounts), None)
    if user is None:
        raise CannotStart(f"{what} does not run as root, and there is no user `nobody`: start the lab as another user")
    command = ["/bin/sh", "-c", 'cd "$1"', "sh", str(path)]
    tried = subprocess.run(  # noqa: S603
        command, user=user.pw_uid, group=user.pw_gid, extra_groups=(), stderr=subprocess.DEVNULL, check=False
    )
    if tried.returncode != 0:
        raise CannotStart(
            f"{what} does not run as root, and the user {user.pw_name} cannot enter {path}: choose a folder that "
            "everybody can enter with --data, or start the lab as another user"
        )
    return user.pw_name


def check_folder(path: Path, what: str) -> None:
    """Makes it if it is missing."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise CannotStart(f"cannot create {what} {path}: {e.strerror}") from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise CannotStart(f"{what} {path} is not writable: change its permissions or choose another one")


def check_disk_space(path: Path, megabytes: int, what: str) -> None:
    free = shutil.disk_usage(path).free >> 20
    if free < megabytes:
        raise CannotStart(
            f"{what} needs {megabytes:,} MB, but {path} has {free:,} MB free: free some space on that disk"
        )


def main() -> None:
    """For `make`, before it downloads hundreds of megabytes for nothing."""
    try:
        java(os.environ)
        maven(os.environ)
    except CannotStart as e:
        sys.exit(f"headwater: {e}")


if __name__ == "__main__":
    main()
