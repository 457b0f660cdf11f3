"""The folder of a lab's data: claimed, inspected and removed."""

import secrets
import shutil
from pathlib import Path

from headwater.errors import BadRequest
from headwater.lab import requirements
from headwater.lab.metastore import POSTGRES, Database
from headwater.lab.services import SERVICES
from headwater.lab.state import FILE, LOCK, STOPPED

_SECRET = "secret"  # noqa: S105 (a file)


def claim(folder: Path) -> None:
    """Makes it a lab's folder, unless it holds something else."""
    if folder.is_dir() and any(folder.iterdir()) and not (folder / LOCK).exists():
        raise BadRequest(f"{folder} is not empty and not a lab's folder; choose another one with --data")
    requirements.check_folder(folder, "the lab's folder")
    (folder / LOCK).touch()


def remove(folder: Path) -> None:
    """Removes what a lab has put there, and the folder itself if nothing else is in it."""
    for name in (*(service.name for service in (*SERVICES, POSTGRES)), "logs"):
        shutil.rmtree(folder / name, ignore_errors=True)
    for name in (FILE, f"{FILE}.part", _SECRET, STOPPED, LOCK):
        (folder / name).unlink(missing_ok=True)
    if not any(folder.iterdir()):
        folder.rmdir()


def database(folder: Path) -> Database | None:
    """The database of the lab's catalog; None if it has none yet."""
    if (folder / POSTGRES.name).exists():
        return "postgres"
    return "derby" if (folder / "metastore").exists() else None


def size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


def secret(folder: Path) -> str:
    """A password for what others on this machine must not open; kept as long as the lab's data."""
    path = folder / _SECRET
    if not path.exists():
        path.touch(0o600)
        path.write_text(secrets.token_urlsafe(24))
    return path.read_text()
