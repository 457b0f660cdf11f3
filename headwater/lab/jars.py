"""The services' programs: downloaded once by Maven, verified, and kept in the user's cache folder.

`pom.xml` says what to download, `jars.sha256` has the checksums, whichever repository it comes from. A folder of
jars is put in place when all of it is right. A list beside it then tells whether it still is: by size and time at
every start, and by content on request.
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
from headwater.lab import requirements
from headwater.lab.services import SERVICES

Report = Callable[[str, int, int], None]
"""Called with the name of a file, the number of files so far, and the total."""

# With the copies that Maven keeps, and archives that exist twice while they are unpacked.
_DISK_SPACE = 1600  # megabytes for all groups

SPARK = "spark"
"""The group that only the pipeline's jobs need."""


class InstalledFile(msgspec.Struct, frozen=True):
    """A file as it was when it was put in place."""

    size: int
    changed: int
    sha256: str


def cache() -> Path:
    return user_cache_path("headwater", appauthor=False) / "lab"


def home(root: Path) -> Path:
    """A folder for each version of the pom, so that an older lab keeps what it needs."""
    return root / hashlib.sha256(_pom() + _resource("jars.sha256")).hexdigest()[:12]


def ensure(
    folder: Path, groups: Iterable[str], environment: Mapping[str, str], report: Report, *, thorough: bool = False
) -> None:
    """Downloads groups that are missing or damaged."""
    requirements.check_folder(folder, "the cache folder")
    with _locked(folder):
        missing = [group for group in sorted(set(groups)) if damaged(folder, group, thorough=thorough) is not None]
        if not missing:
            return
        program = requirements.maven(environment)
        requirements.check_disk_space(folder, _DISK_SPACE * len(missing) // len(_pinned_groups()), "the download")
        for group in missing:
            _fetch(folder, group, program, environment, report)


def damaged(folder: Path, group: str, *, thorough: bool = False) -> str | None:
    """The first file that is missing or has changed, or None."""
    try:
        installed = msgspec.json.decode((folder / f"{group}.json").read_bytes(), type=dict[str, InstalledFile])
    except (FileNotFoundError, msgspec.MsgspecError):
        return group
    for name, file in installed.items():
        path = folder / group / name
        try:
            stat = path.stat()
        except FileNotFoundError:
            return name
        if (stat.st_size, stat.st_mtime_ns) != (file.size, file.changed):
            return name
        if thorough and _sha256(path) != file.sha256:
            return name
    return None


def pinned() -> dict[str, dict[str, str]]:
    """Checksum by group and file."""
    checksums: dict[str, dict[str, str]] = {}
    for line in _resource("jars.sha256").decode().splitlines():
        digest, name = line.split("  ", 1)
        group, _, file = name.partition("/")
        checksums.setdefault(group, {})[file] = digest
    return checksums


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
    installed = {
        str(path.relative_to(place)): InstalledFile(path.stat().st_size, path.stat().st_mtime_ns, _sha256(path))
        for path in sorted(place.rglob("*"))
        if path.is_file()
    }
    (folder / f"{group}.json").write_bytes(msgspec.json.encode(installed))


def _download(group: str, target: Path, program: str, environment: Mapping[str, str]) -> Iterator[str]:
    """Names of files as they arrive, without those that Maven had already."""
    errors: list[str] = []
    with tempfile.TemporaryDirectory(prefix="headwater-lab-") as work:
        pom = Path(work) / "pom.xml"
        pom.write_bytes(_pom())
        # -C: a wrong checksum is an error, not a warning.
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
                if match := re.search(r"Downloaded from [^:]*: \S*/(\S+\.(?:jar|tar\.gz)) ", line):
                    yield match[1]
                elif "[ERROR]" in line:
                    errors.append(line.partition("[ERROR]")[2].strip())
    if process.returncode != 0:
        reason = errors[0] if errors else f"code {process.returncode}"
        raise CannotStart(f"Maven could not download {group}: {reason}. Check the network and start again.")


def _compare(group: str, folder: Path, expected: Mapping[str, str]) -> None:
    actual = {path.name: _sha256(path) for path in folder.iterdir()}
    wrong = [name for name in sorted(expected.keys() | actual.keys()) if expected.get(name) != actual.get(name)]
    if wrong:
        shutil.rmtree(folder)
        raise CannotStart(
            f"wrong checksums for {group} ({', '.join(wrong[:3])}): remove these files from ~/.m2/repository and start "
            "again; if the error stays, your Maven repository has different files"
        )


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One lab downloads; others that start meanwhile wait for it."""
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
    """Writes the checksums of everything in the pom, after a change to it."""
    lines = []
    with tempfile.TemporaryDirectory(prefix="headwater-lab-") as work:
        for group in _pinned_groups():
            for _ in _download(group, Path(work) / group, requirements.maven(os.environ), os.environ):
                pass
            lines += [f"{_sha256(path)}  {group}/{path.name}\n" for path in sorted((Path(work) / group).iterdir())]
    target.write_text("".join(lines))


if __name__ == "__main__":
    pin(Path(sys.argv[1]))
