"""The services' programs: downloaded once by Maven, checked, and kept in the user's cache folder.

`pom.xml` says what, `jars.sha256` what it must be, whichever repository it came from. A folder of jars is put
in place when all of it is right. From then on a list beside it tells, by size and time at every start and by
content when asked, whether it still is.
"""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

import msgspec
from platformdirs import user_cache_path

from headwater.errors import CannotStart
from headwater.lab import needs
from headwater.lab.services import SERVICES

Report = Callable[[str, int, int], None]
"""Called with what was downloaded, how many files are there, and of how many."""

# Maven keeps a copy of what it downloads, and archives are there twice while they are unpacked.
_ROOM = 1600  # megabytes for all

SPARK = "spark"
"""The group that no service needs but the pipeline's jobs."""


class Known(msgspec.Struct, frozen=True):
    """A file as it was when it was put in place."""

    size: int
    changed: int
    sha256: str


def cache() -> Path:
    return user_cache_path("headwater", appauthor=False) / "lab"


def home(root: Path) -> Path:
    """A folder of its own for each edition of the pom: an older lab keeps what it needs."""
    return root / hashlib.sha256(_pom() + _resource("jars.sha256")).hexdigest()[:12]


def ensure(
    folder: Path, groups: Iterable[str], environment: Mapping[str, str], report: Report, *, thorough: bool = False
) -> None:
    """All groups are there and are what they should be when this returns."""
    wanted = sorted(set(groups))
    needs.folder(folder, "the cache folder")
    with _alone(folder):
        missing = [group for group in wanted if (wrong(folder, group, thorough=thorough)) is not None]
        if not missing:
            return
        program = needs.maven(environment)
        needs.room(folder, _ROOM * len(missing) // len(_pinned_groups()), "the download")
        for group in missing:
            _fetch(folder, group, program, environment, report)


def wrong(folder: Path, group: str, *, thorough: bool = False) -> str | None:
    """The first file that is not what it was, or None."""
    try:
        known = msgspec.json.decode((folder / f"{group}.json").read_bytes(), type=dict[str, Known])
    except (FileNotFoundError, msgspec.MsgspecError):
        return group
    for name, file in known.items():
        path = folder / group / name
        try:
            found = path.stat()
        except FileNotFoundError:
            return name
        if (found.st_size, found.st_mtime_ns) != (file.size, file.changed):
            return name
        if thorough and _sha256(path) != file.sha256:
            return name
    return None


def pinned() -> dict[str, dict[str, str]]:
    """Checksum by group and file."""
    found: dict[str, dict[str, str]] = {}
    for line in _resource("jars.sha256").decode().splitlines():
        digest, name = line.split("  ", 1)
        group, _, file = name.partition("/")
        found.setdefault(group, {})[file] = digest
    return found


def _fetch(folder: Path, group: str, program: str, environment: Mapping[str, str], report: Report) -> None:
    place, part = folder / group, folder / f"{group}.part"
    (folder / f"{group}.json").unlink(missing_ok=True)
    for old in (place, part):
        shutil.rmtree(old, ignore_errors=True)
    expected = pinned()[group]
    report(group, 0, len(expected))
    for done, file in enumerate(_download(group, part, program, environment), 1):
        report(f"{group}: {file}", min(done, len(expected)), len(expected))
    _compare(group, part, expected)
    for archive in part.glob("*.tar.gz"):
        with tarfile.open(archive) as packed:
            packed.extractall(part, filter="data")
        archive.unlink()
    part.rename(place)
    known = {
        str(path.relative_to(place)): Known(path.stat().st_size, path.stat().st_mtime_ns, _sha256(path))
        for path in sorted(place.rglob("*"))
        if path.is_file()
    }
    (folder / f"{group}.json").write_bytes(msgspec.json.encode(known))


def _download(group: str, target: Path, program: str, environment: Mapping[str, str]) -> Iterator[str]:
    """Names of files as they arrive; nothing for those that Maven had already."""
    said: list[str] = []
    with tempfile.TemporaryDirectory(prefix="headwater-lab-") as work:
        pom = Path(work) / "pom.xml"
        pom.write_bytes(_pom())
        # -C: a file whose checksum is wrong is an error, not a warning.
        command = [program, "-B", "-C", "-f", str(pom), "-P", group, "package", f"-Dlab.folder={target}"]
        with subprocess.Popen(  # noqa: S603
            command,
            env=dict(environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if found := re.search(r"Downloaded from [^:]*: \S*/(\S+\.(?:jar|tar\.gz)) ", line):
                    yield found[1]
                elif "[ERROR]" in line:
                    said.append(line.partition("[ERROR]")[2].strip())
    if process.returncode != 0:
        reason = said[0] if said else f"code {process.returncode}"
        raise CannotStart(f"Maven could not download {group}: {reason}. Is the network there? Then start again.")


def _compare(group: str, folder: Path, expected: Mapping[str, str]) -> None:
    found = {path.name: _sha256(path) for path in folder.iterdir()}
    odd = [name for name in sorted(expected.keys() | found.keys()) if expected.get(name) != found.get(name)]
    if odd:
        shutil.rmtree(folder)
        raise CannotStart(
            f"what was downloaded for {group} is not what it should be ({', '.join(odd[:3])}): remove these from "
            "~/.m2/repository and start again; if it stays so, the repository has other files than ours"
        )


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One lab downloads, others that start meanwhile wait for it."""
    fd = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _resource(name: str) -> bytes:
    return (resources.files("headwater.lab") / name).read_bytes()


def _pom() -> bytes:
    return _resource("pom.xml")


def _pinned_groups() -> list[str]:
    return sorted({service.jars for service in SERVICES if service.jars} | {SPARK})


def pin(target: Path) -> None:
    """Writes the checksums of what the pom gives today: for whoever changes the pom."""
    lines = []
    with tempfile.TemporaryDirectory(prefix="headwater-lab-") as work:
        for group in _pinned_groups():
            for _ in _download(group, Path(work) / group, needs.maven(os.environ), os.environ):
                pass
            lines += [f"{_sha256(path)}  {group}/{path.name}\n" for path in sorted((Path(work) / group).iterdir())]
    target.write_text("".join(lines))


if __name__ == "__main__":
    pin(Path(sys.argv[1]))
